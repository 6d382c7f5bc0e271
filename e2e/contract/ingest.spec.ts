/** Tests over HTTP that Stripe events create and update payments. */
import { setSecret } from '@/lib/sync/stripe/account'
import { countEvents } from '@/lib/sync/stripe/events'
import { purgeEvents } from '@/lib/sync/stripe/retention'
import { makeCharge, makeEvent, makeIntent, RECENT, SECRET } from '@/testing/stripe'
import { expect, test } from '../support/api'
import { deliver } from '../support/stripe'

const PAID = makeEvent(
  'payment_intent.succeeded',
  makeIntent({ status: 'succeeded', amount_received: 2500, metadata: { orderId: 'OR-77' } }),
  RECENT + 5,
)
const REFUNDED = makeEvent('charge.refunded', makeCharge({ amount_refunded: 2500, refunded: true }), RECENT + 60)

test('signed events create and update a single payment, even if they arrive out of order and more than once', async ({ api, baseUrl }) => {
  await setSecret(api.seller, SECRET, undefined)
  const listPayments = async () => (await api.call('/v1/payments')).json.data
  await deliver(baseUrl, api.seller, REFUNDED)
  await expect.poll(() => countEvents(api.seller)).toMatchObject({ waiting: 0 })
  // The server also purges events every hour.
  await purgeEvents()
  await deliver(baseUrl, api.seller, PAID)
  await expect.poll(async () => (await listPayments()).map(({ orderId }) => orderId)).toEqual(['OR-77'])
  const [payment] = await listPayments()
  expect(payment).toMatchObject({
    status: 'refunded',
    amount: 2500,
    customerEmail: 'ada@example.com',
    updatedAt: new Date((RECENT + 60) * 1000).toISOString(),
  })
  for (const event of [PAID, REFUNDED, PAID]) await deliver(baseUrl, api.seller, event)
  await expect.poll(() => countEvents(api.seller)).toMatchObject({ waiting: 0, failed: 0 })
  expect(await listPayments()).toEqual([payment])
})
