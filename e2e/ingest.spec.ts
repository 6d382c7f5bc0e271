/** Tests that the Stripe webhook accepts only events that were recently signed with the seller's secret. */
import { setSecret } from '@/lib/sync/stripe/account'
import { countEvents } from '@/lib/sync/stripe/events'
import { makeEvent, makeIntent, RECENT, SECRET, signed } from '@/testing/stripe'
import { expect, test } from './support/api'
import { deliver, post } from './support/stripe'

const PAID = makeEvent('payment_intent.succeeded', makeIntent({ status: 'succeeded', amount_received: 2500 }), RECENT)

test('unsigned deliveries, and those with an old signature or for another seller, get the same 400; a signed body that is not an event gets a different one', async ({
  api,
  another,
  baseUrl,
}) => {
  const other = await another()
  await setSecret(api.seller, SECRET, undefined)
  await setSecret(other.seller, 'whsec_the_other_sellers', undefined)
  const query = `?seller=${api.seller}`
  const now = Math.floor(Date.now() / 1000)
  const { payload, header } = signed(PAID)
  const rejected = {
    unsigned: { payload, path: query },
    'an empty signature': { payload, header: '', path: query },
    'a malformed signature': { payload, header: 'v1=abc', path: query },
    'another seller’s secret': { ...signed(PAID, 'whsec_the_other_sellers'), path: query },
    'addressed to another seller': { payload, header, path: `?seller=${other.seller}` },
    'signed long ago': { ...signed(PAID, SECRET, now - 310), path: query },
    'modified in transit': { payload: payload.replace('2500', '9900'), header, path: query },
    'an empty body': { payload: '', header, path: query },
    'an unknown seller': { payload, header, path: `?seller=${'0'.repeat(24)}` },
    'a malformed seller ID': { payload, header, path: '?seller=x' },
    'no seller, with several connected': { payload, header },
  }
  const responses = new Set<string>()
  for (const [name, delivery] of Object.entries(rejected)) {
    const { status, headers, json } = await post(baseUrl, delivery)
    expect([name, status, json.requestId]).toEqual([name, 400, headers.get('request-id')])
    responses.add(JSON.stringify({ ...json, requestId: '' }))
  }
  expect([...responses]).toEqual([expect.stringContaining('"param":"Stripe-Signature"')])
  expect(await countEvents(api.seller)).toEqual({ waiting: 0, failed: 0, lastAt: undefined })
  expect((await api.call('/v1/payments')).json.total).toBe(0)

  for (const body of [{}, [], { ...PAID, created: 'now' }, { ...PAID, data: { object: null } }, { object: 'v2.core.event', id: 'evt_1' }]) {
    expect(await post(baseUrl, { ...signed(body), path: query })).toMatchObject({
      status: 400,
      json: { message: 'The body is not a Stripe event.' },
    })
  }
  await deliver(baseUrl, api.seller, makeEvent('payout.paid', { id: 'po_1', object: 'payout' }))
  expect(await countEvents(api.seller)).toMatchObject({ lastAt: undefined })
  expect(await post(baseUrl, { payload: 'x'.repeat(1024 * 1024 + 1), header, path: query })).toMatchObject({
    status: 413,
    json: { code: 'body_too_large' },
  })
  const viaGet = await post(baseUrl, { payload: '', method: 'GET', path: query })
  expect([viaGet.status, viaGet.headers.get('allow')]).toEqual([405, 'POST, OPTIONS'])

  // While an endpoint's secret is being rotated, Stripe signs with both secrets. Signatures are valid for five minutes.
  const delayed = signed(PAID, SECRET, now - 60)
  const bothSignatures = delayed.header.replace(',v1=', `,v1=${'0'.repeat(64)},v1=`)
  expect((await post(baseUrl, { payload, header: bothSignatures, path: `/${query}` })).status).toBe(200)
})
