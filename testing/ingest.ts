/** Sends Stripe events in tests and reads the resulting records. Also defines realistic sequences of events. */
import { sql } from 'drizzle-orm'
import { expect } from 'vitest'
import { database } from '@/db/client'
import { type ResourceName, resources } from '@/lib/catalog'
import { ingestRoute } from '@/lib/http/stripe-webhook'
import { setSecret } from '@/lib/sync/stripe/account'
import { processEvents } from '@/lib/sync/stripe/process-events'
import { makeSeller } from './seller'
import { ADDRESS, makeCharge, makeEvent, makeIntent, NOON, SECRET, type StripeEvent, signed } from './stripe'
import { makeInvoice, makeInvoicePayment, makeStripeCoupon, makeStripeCustomer, makeSubscription } from './stripe-billing'

// Set the secret before the configuration is first read. Otherwise, a generated one would be stored in the project folder.
process.env.NEXTAUTH_SECRET ??= 'a secret of at least 32 characters'

/** Creates a seller with a Stripe account. @returns the seller's ID */
export async function makeAccount(): Promise<string> {
  const seller = await makeSeller()
  await setSecret(seller, SECRET, undefined)
  return seller
}

/** Sends an event as Stripe does. The server may process it only after responding. @returns the response status */
export async function send(seller: string, event: StripeEvent): Promise<number> {
  const { payload, header } = signed(event)
  const headers = { 'stripe-signature': header, 'content-length': String(Buffer.byteLength(payload)) }
  const request = new Request(`http://x/ingest/stripe?seller=${seller}`, { method: 'POST', headers, body: payload })
  return (await ingestRoute.POST(request)).status
}

/** Sends events and waits until all of them are processed. */
export async function deliver(seller: string, ...events: StripeEvent[]): Promise<void> {
  for (const event of events) expect(await send(seller, event)).toBe(200)
  await processEvents(seller)
}

export type StoredRecord = Record<string, unknown>

/** Runs a query on the test database. @returns its rows */
export const rows = <Row>(query: ReturnType<typeof sql>) => database().use((connection) => connection.rows<Row>(query))

/** Returns a seller's records of a resource, validated with the importer's schema. */
export async function readRecords(seller: string, name: ResourceName): Promise<StoredRecord[]> {
  const { table, record } = resources[name]
  const found = await rows<{ text: string }>(sql`select record::text as text from ${table} where seller_id = ${seller} order by id`)
  return found.map(({ text }) => record.parse(JSON.parse(text)) as StoredRecord)
}

/** Returns a seller's payments, subscriptions, coupons, bookings and customers, without `id` and `sellerId`. */
export async function readEverything(seller: string) {
  const all = await Promise.all(
    (['payments', 'subscriptions', 'coupons', 'bookings', 'customers'] as const).map((name) => readRecords(seller, name)),
  )
  return all.flat().map(({ id, sellerId, ...rest }) => rest)
}

/** The billing address from a payment form that only asks for the country. */
export const COUNTRY_ONLY = { line1: null, line2: null, city: null, state: null, postal_code: null, country: 'NL' }

const PAID_INTENT = makeIntent({ status: 'succeeded', amount_received: 2500, latest_charge: 'ch_1', metadata: { orderId: 'OR-1' } })
const FAILED_INTENT = makeIntent({ last_payment_error: { type: 'card_error', message: 'Your card was declined.' } })
const FAILED_CHARGE = makeCharge({
  id: 'ch_0',
  created: NOON + 3,
  status: 'failed',
  paid: false,
  captured: false,
  amount_captured: 0,
  failure_message: 'Your card was declined.',
})

/** Sequences of events in chronological order, each about a single payment, subscription, coupon or customer. Some share a timestamp. */
export const LIFECYCLES: Record<string, StripeEvent[]> = {
  payment: [
    makeEvent('payment_intent.created', makeIntent()),
    makeEvent('charge.failed', FAILED_CHARGE, NOON + 3),
    makeEvent('payment_intent.payment_failed', FAILED_INTENT, NOON + 3),
    makeEvent('charge.succeeded', makeCharge(), NOON + 5),
    makeEvent('payment_intent.succeeded', PAID_INTENT, NOON + 5),
    makeEvent('charge.updated', makeCharge({ receipt_email: 'later@example.com' }), NOON + 6),
    makeEvent('charge.refunded', makeCharge({ amount_refunded: 500 }), NOON + 60),
    makeEvent('charge.refunded', makeCharge({ amount_refunded: 2500, refunded: true }), NOON + 90),
    makeEvent('charge.dispute.created', { id: 'dp_1', object: 'dispute', charge: 'ch_1' }, NOON + 99),
  ],
  'payment of an invoice': [
    makeEvent('invoice.created', makeInvoice({ status: 'draft' })),
    makeEvent('invoice.finalized', makeInvoice()),
    makeEvent('payment_intent.created', makeIntent()),
    makeEvent('payment_intent.succeeded', PAID_INTENT, NOON + 6),
    makeEvent(
      'charge.succeeded',
      makeCharge({ billing_details: { address: { ...COUNTRY_ONLY, country: 'FR' }, email: null, name: null, phone: null, tax_id: null } }),
      NOON + 6,
    ),
    makeEvent('invoice_payment.paid', makeInvoicePayment(), NOON + 6),
    makeEvent('invoice.paid', makeInvoice({ status: 'paid' }), NOON + 6),
  ],
  subscription: [
    makeEvent('customer.subscription.created', makeSubscription()),
    makeEvent('invoice.finalized', makeInvoice()),
    makeEvent('customer.subscription.updated', makeSubscription({ status: 'active' }), NOON + 6),
    makeEvent('invoice.paid', makeInvoice({ status: 'paid' }), NOON + 6),
    makeEvent('invoice.payment_failed', makeInvoice({ id: 'in_2', created: NOON + 2_678_400 }), NOON + 2_678_400),
    makeEvent('customer.subscription.updated', makeSubscription({ status: 'past_due' }), NOON + 2_678_400),
    makeEvent('customer.subscription.deleted', makeSubscription({ status: 'canceled', canceled_at: NOON + 2_678_400 }), NOON + 2_678_400),
  ],
  coupon: [
    makeEvent('coupon.created', makeStripeCoupon()),
    makeEvent('coupon.updated', makeStripeCoupon({ name: 'Summer sale' })),
    makeEvent('coupon.deleted', makeStripeCoupon({ name: 'Summer sale', times_redeemed: 3 })),
  ],
  customer: [
    makeEvent('customer.created', makeStripeCustomer({ email: null })),
    makeEvent('customer.updated', makeStripeCustomer(), NOON + 5),
    makeEvent(
      'customer.updated',
      makeStripeCustomer({ phone: '+331', shipping: { name: 'Ada B.', phone: null, address: ADDRESS } }),
      NOON + 60,
    ),
    makeEvent('customer.deleted', makeStripeCustomer({ phone: '+331' }), NOON + 90),
  ],
  'coupon that was created again': [
    makeEvent('coupon.created', makeStripeCoupon()),
    makeEvent('coupon.deleted', makeStripeCoupon(), NOON + 10),
    makeEvent('coupon.created', makeStripeCoupon({ created: NOON + 10, percent_off: 30 }), NOON + 10),
  ],
}
