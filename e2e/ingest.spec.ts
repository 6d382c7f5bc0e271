/** Tests that the Stripe webhook accepts only events that Stripe signed recently for this seller. */
import { setSecret } from '@/lib/sync/stripe/account'
import { countEvents } from '@/lib/sync/stripe/events'
import { makeEvent, makeIntent, SECRET, signed } from '@/testing/stripe'
import { expect, test } from './support/api'
import { deliver, post } from './support/stripe'

const PAID = makeEvent('payment_intent.succeeded', makeIntent({ status: 'succeeded', amount_received: 2500 }))

test('unsigned, foreign and old deliveries get the same 400; signed bodies that are not events get a different one', async ({
  api,
  another,
  baseUrl,
}) => {
  const other = await another()
  await setSecret(api.seller, SECRET, undefined)
  await setSecret(other.seller, 'whsec_the_other_sellers', undefined)
  const own = `?seller=${api.seller}`
  const now = Math.floor(Date.now() / 1000)
  const { payload, header } = signed(PAID)
  const refusals = {
    unsigned: { payload, path: own },
    'an empty signature': { payload, header: '', path: own },
    'a malformed signature': { payload, header: 'v1=abc', path: own },
    'another seller’s secret': { ...signed(PAID, 'whsec_the_other_sellers'), path: own },
    'addressed to another seller': { payload, header, path: `?seller=${other.seller}` },
    'signed long ago': { ...signed(PAID, SECRET, now - 310), path: own },
    'modified in transit': { payload: payload.replace('2500', '9900'), header, path: own },
    'an empty body': { payload: '', header, path: own },
    'an unknown seller': { payload, header, path: `?seller=${'0'.repeat(24)}` },
    'a malformed seller ID': { payload, header, path: '?seller=x' },
    'no seller, with several connected': { payload, header },
  }
  const responses = new Set<string>()
  for (const [name, delivery] of Object.entries(refusals)) {
    const { status, headers, json } = await post(baseUrl, delivery)
    expect([name, status, json.requestId]).toEqual([name, 400, headers.get('request-id')])
    responses.add(JSON.stringify({ ...json, requestId: '' }))
  }
  expect([...responses]).toEqual([expect.stringContaining('"param":"Stripe-Signature"')])
  expect(await countEvents(api.seller)).toEqual({ waiting: 0, failed: 0, lastAt: undefined })
  expect((await api.call('/v1/payments')).json.total).toBe(0)

  for (const odd of [{}, [], { ...PAID, created: 'now' }, { ...PAID, data: { object: null } }, { object: 'v2.core.event', id: 'evt_1' }]) {
    expect(await post(baseUrl, { ...signed(odd), path: own })).toMatchObject({
      status: 400,
      json: { message: 'The body is not a Stripe event.' },
    })
  }
  await deliver(baseUrl, api.seller, makeEvent('payout.paid', { id: 'po_1', object: 'payout' }))
  expect(await countEvents(api.seller)).toMatchObject({ lastAt: undefined })
  expect(await post(baseUrl, { payload: 'x'.repeat(1024 * 1024 + 1), header, path: own })).toMatchObject({
    status: 413,
    json: { code: 'body_too_large' },
  })
  const got = await post(baseUrl, { payload: '', method: 'GET', path: own })
  expect([got.status, got.headers.get('allow')]).toEqual([405, 'POST, OPTIONS'])

  // While an endpoint's secret is being rotated, Stripe signs with both secrets. A signature can be a minute old.
  const late = signed(PAID, SECRET, now - 60)
  const both = late.header.replace(',v1=', `,v1=${'0'.repeat(64)},v1=`)
  expect((await post(baseUrl, { payload, header: both, path: `/${own}` })).status).toBe(200)
})
