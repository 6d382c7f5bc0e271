/** An event of Stripe's: what each has, whether it tells anything, and which of two comes first. */
import { z } from 'zod'
import { type StripeObject, seconds, stripeObjects } from './objects'

/** What an event must have to be kept at all. */
export const envelope = z.object({
  id: z.string().min(1).max(255),
  object: z.literal('event'),
  type: z.string().min(1).max(255),
  created: seconds,
  data: z.object({ object: z.looseObject({ object: z.string() }) }),
})
export type Envelope = z.output<typeof envelope>

const KEPT = /^(payment_intent|charge|customer\.subscription|invoice|invoice_payment|coupon)\./
/** What will be on an invoice, or was on one that never went out, is no fact. */
const NO_FACT = new Set(['invoice.upcoming', 'invoice.will_be_due', 'invoice.deleted'])

/** Whether events of a type are kept; others are none of ours. */
export const isKept = (type: string) => KEPT.test(type)

/** An event with its object, whose members have been checked. */
export type Told<T extends StripeObject = StripeObject> = { id: string; type: string; created: number; object: T }

const OBJECTS = new Set<unknown>(stripeObjects.options.map(({ shape }) => shape.object.value))

/**
 * @returns undefined where it tells nothing about a record: a dispute's events are such
 * @throws {z.ZodError} where its object is not as Stripe describes it
 */
export function readEvent({ id, type, created, data }: Envelope): Told | undefined {
  if (NO_FACT.has(type) || !OBJECTS.has(data.object.object)) return undefined
  return { id, type, created, object: stripeObjects.parse(data.object) }
}

const payerOf = ({ payment_intent, charge }: { payment_intent?: string | null | undefined; charge?: string | null | undefined }) =>
  payment_intent ?? charge ?? undefined

/** The payment that an object is about: its payment intent's id, or that of a charge which has none. */
export function paymentsOf(object: StripeObject): string[] {
  switch (object.object) {
    case 'payment_intent':
      return [object.id]
    case 'charge':
      return [object.payment_intent ?? object.id]
    case 'invoice_payment':
      return [payerOf(object.payment)].filter((id) => id !== undefined)
    case 'invoice':
      return (object.payments?.data ?? []).map(({ payment }) => payerOf(payment)).filter((id) => id !== undefined)
    default:
      return []
  }
}

export function subscriptionOf(object: StripeObject): string | undefined {
  if (object.object === 'subscription') return object.id
  return object.object === 'invoice' ? object.parent?.subscription_details?.subscription : undefined
}

/** By what an event is found again: its object's id, and those of what that belongs to. */
export function linksOf({ object }: Told): string[] {
  const invoice = object.object === 'invoice_payment' ? [object.invoice] : []
  return [...new Set([object.id, ...paymentsOf(object), ...invoice, subscriptionOf(object)])].filter((id) => id !== undefined)
}

/** The last words of types in the order in which they happen to one object; those that are not here happen as `updated` does. */
const FINALITY = [
  'created',
  'updated',
  'pending',
  'requires_action',
  'processing',
  'finalized',
  'sent',
  'failed',
  'payment_failed',
  'amount_capturable_updated',
  'partially_funded',
  'succeeded',
  'payment_succeeded',
  'paid',
  'captured',
  'refunded',
  'paused',
  'resumed',
  'voided',
  'marked_uncollectible',
  'canceled',
  'expired',
  'deleted',
]

function finalityOf({ type }: Told): number {
  const found = FINALITY.indexOf(type.slice(type.lastIndexOf('.') + 1))
  return found === -1 ? FINALITY.indexOf('updated') : found
}

const compare = (a: string | number, b: string | number) => (a < b ? -1 : a > b ? 1 : 0)

/**
 * The order in which events are applied, however they came in. Objects: the one that was made first. Events of one object: by
 * Stripe's second, then by what of one second comes last in an object's life, then by id.
 */
export const inOrder = (a: Told, b: Told): number =>
  compare(a.object.created, b.object.created) ||
  compare(a.object.id, b.object.id) ||
  compare(a.created, b.created) ||
  compare(finalityOf(a), finalityOf(b)) ||
  compare(a.id, b.id)
