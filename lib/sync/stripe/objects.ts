/** Defines which members of Stripe's objects are read, as of API version 2025-03-31.basil. Other members are ignored. */
import { z } from 'zod'
import { amount } from '../../catalog/shapes'
import { isStorable, STORABLE } from '../../catalog/ticket'

/**
 * The maximum lengths of texts and of IDs, in characters. They are the same as Stripe's. Longer values would only bloat the records and
 * their indexes.
 */
const MAX_TEXT = 5_000
const MAX_NAME = 255
/** The maximum number of taxes on an invoice. */
const MAX_TAXES = 100

const boundedString = (max: number) => z.string().max(max, `must have at most ${max} characters`)
const text = boundedString(MAX_TEXT).nullish()
const name = boundedString(MAX_NAME).refine(isStorable, STORABLE)
/** A Unix timestamp in seconds, up to the year 9999. */
export const seconds = z.int().min(0).max(253_402_300_799)
const optionalSeconds = seconds.nullish()

/** The ID of an object. Stripe sends either the ID or the expanded object. */
const id = z.union([name, z.object({ id: name }).transform((object) => object.id)])
const optionalId = id.nullish()

const list = <T extends z.ZodType>(item: T) => z.object({ data: z.array(item) })

const address = z.object({ line1: text, line2: text, city: text, state: text, postal_code: text, country: text }).nullish()
export type Address = z.output<typeof address>

const shipping = z.object({ name: text, phone: text, address }).nullish()
export type Shipping = z.output<typeof shipping>

const metadata = z.record(z.string(), boundedString(MAX_TEXT)).nullish()

/** The members that every object has. */
const stripeObject = { id: name, created: seconds, livemode: z.boolean() }

const intent = z.object({
  ...stripeObject,
  object: z.literal('payment_intent'),
  amount,
  amount_received: amount,
  currency: name,
  status: z.enum([
    'requires_payment_method',
    'requires_confirmation',
    'requires_action',
    'processing',
    'requires_capture',
    'succeeded',
    'canceled',
  ]),
  last_payment_error: z.object({ message: text, code: text }).nullish(),
  latest_charge: optionalId,
  receipt_email: text,
  client_secret: text,
  canceled_at: optionalSeconds,
  cancellation_reason: text,
  shipping,
  metadata,
})

const card = z.object({
  brand: text,
  last4: text,
  country: text,
  exp_month: z.number().nullish(),
  exp_year: z.number().nullish(),
  funding: text,
  wallet: z.object({ type: text }).nullish(),
})

const charge = z.object({
  ...stripeObject,
  object: z.literal('charge'),
  amount,
  amount_captured: amount,
  amount_refunded: amount,
  captured: z.boolean(),
  refunded: z.boolean(),
  currency: name,
  status: z.enum(['succeeded', 'pending', 'failed']),
  failure_message: text,
  payment_intent: optionalId,
  receipt_email: text,
  billing_details: z.object({ name: text, email: text, phone: text, address }).nullish(),
  payment_method_details: z.object({ type: name, card: card.optional() }).nullish(),
  shipping,
  metadata,
})

const invoicePayment = z.object({
  ...stripeObject,
  object: z.literal('invoice_payment'),
  invoice: id,
  payment: z.object({ payment_intent: optionalId, charge: optionalId }),
  status: text,
})

const invoice = z.object({
  ...stripeObject,
  object: z.literal('invoice'),
  status: z.enum(['draft', 'open', 'paid', 'uncollectible', 'void']).nullish(),
  customer_email: text,
  customer_name: text,
  customer_phone: text,
  customer_address: address,
  total_excluding_tax: amount.nullish(),
  total_taxes: z
    .array(z.object({ amount, taxable_amount: amount.nullish(), taxability_reason: text }))
    .max(MAX_TAXES)
    .nullish(),
  parent: z.object({ subscription_details: z.object({ subscription: id }).nullish() }).nullish(),
  /** Present only if expanded. Otherwise, the event `invoice_payment.paid` links the payment. */
  payments: list(invoicePayment.pick({ payment: true, status: true })).nullish(),
})

const price = z.object({
  unit_amount: amount.nullish(),
  unit_amount_decimal: text,
  recurring: z.object({ interval: name, interval_count: z.number(), usage_type: text }).nullish(),
  transform_quantity: z.object({ divide_by: z.int().min(1), round: z.enum(['up', 'down']) }).nullish(),
})

const subscription = z.object({
  ...stripeObject,
  object: z.literal('subscription'),
  status: z.enum(['active', 'canceled', 'incomplete', 'incomplete_expired', 'past_due', 'paused', 'trialing', 'unpaid']),
  currency: name,
  customer: id,
  items: list(z.object({ price, quantity: z.number().nullish(), current_period_start: seconds, current_period_end: seconds })),
  start_date: seconds,
  trial_start: optionalSeconds,
  trial_end: optionalSeconds,
  cancel_at: optionalSeconds,
  cancel_at_period_end: z.boolean(),
  canceled_at: optionalSeconds,
  ended_at: optionalSeconds,
  cancellation_details: z.object({ reason: text, comment: text }).nullish(),
  pending_setup_intent: optionalId,
  metadata,
})

const coupon = z.object({
  ...stripeObject,
  object: z.literal('coupon'),
  name: text,
  amount_off: amount.nullish(),
  percent_off: z.number().nullish(),
  currency: text,
  duration: z.enum(['once', 'repeating', 'forever']),
  duration_in_months: z.number().nullish(),
  max_redemptions: z.number().nullish(),
  redeem_by: optionalSeconds,
  times_redeemed: z.number(),
})

const customer = z.object({
  ...stripeObject,
  object: z.literal('customer'),
  email: text,
  name: text,
  phone: text,
  address,
  shipping,
})

/** The objects that records are derived from. */
export const stripeObjects = z.discriminatedUnion('object', [intent, charge, invoicePayment, invoice, subscription, coupon, customer])

export type Intent = z.output<typeof intent>
export type Charge = z.output<typeof charge>
export type Invoice = z.output<typeof invoice>
export type Subscription = z.output<typeof subscription>
export type Coupon = z.output<typeof coupon>
export type Customer = z.output<typeof customer>
export type StripeObject = z.output<typeof stripeObjects>
