/** Validates Stripe events, finds the objects that they are about, and puts them in order. */
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { isStorable } from '../../catalog/ticket'
import { type StripeObject, seconds, stripeObjects } from './objects'

const name = z.string().min(1).max(255).refine(isStorable)

/** The members that an event must have to be stored. */
export const envelope = z.object({
  id: name,
  object: z.literal('event'),
  type: name,
  created: seconds,
  data: z.object({ object: z.looseObject({ object: z.string() }), previous_attributes: z.looseObject({}).nullish() }),
})
export type Envelope = z.output<typeof envelope>

const STORED_TYPES =
  /^(payment_intent|charge|customer\.subscription|invoice|invoice_payment|coupon)\.|^customer\.(created|updated|deleted)$/
/** The types of stored events that have no effect. They announce an invoice or its due date, or report that a draft invoice was deleted. */
const IGNORED_TYPES = new Set(['invoice.upcoming', 'invoice.will_be_due', 'invoice.deleted'])

/** Returns whether events of a type are stored. */
export const isStoredType = (type: string) => STORED_TYPES.test(type)

/** An event whose object has been validated. `created` is a Unix timestamp in seconds. */
export type StripeEvent<T extends StripeObject = StripeObject> = {
  id: string
  type: string
  created: number
  object: T
  /** The event's `data`, with all of the object's attributes and, if the event changed some, their previous values. */
  data: Envelope['data']
}

const OBJECTS = new Set<unknown>(stripeObjects.options.map(({ shape }) => shape.object.value))

/**
 * Validates an event's object.
 *
 * @returns the event, or undefined if it has no effect on records (for example, if it is about a dispute)
 * @throws {z.ZodError} if the object does not match its schema in `objects.ts`
 */
export function readEvent({ id, type, created, data }: Envelope): StripeEvent | undefined {
  if (IGNORED_TYPES.has(type) || !OBJECTS.has(data.object.object)) return undefined
  return { id, type, created, object: stripeObjects.parse(data.object), data }
}

/** Returns the ID of the payment intent if there is one, otherwise the ID of the charge. */
export const getPaymentId = ({
  payment_intent,
  charge,
}: {
  payment_intent?: string | null | undefined
  charge?: string | null | undefined
}) => payment_intent ?? charge ?? undefined

/** Returns the IDs of the payments that an object is about: the ID of each payment intent, or of the charge if it has no payment intent. */
export function listPaymentIds(object: StripeObject): string[] {
  switch (object.object) {
    case 'payment_intent':
      return [object.id]
    case 'charge':
      return [object.payment_intent ?? object.id]
    case 'invoice_payment':
      return [getPaymentId(object.payment)].filter((id) => id !== undefined)
    case 'invoice':
      return (object.payments?.data ?? []).map(({ payment }) => getPaymentId(payment)).filter((id) => id !== undefined)
    default:
      return []
  }
}

/** Returns the ID of the subscription that an object is about, if any. */
export function getSubscriptionId(object: StripeObject): string | undefined {
  if (object.object === 'subscription') return object.id
  return object.object === 'invoice' ? object.parent?.subscription_details?.subscription : undefined
}

/** Returns the Stripe IDs that an event is looked up by: those of its object and of the objects that it belongs to. */
export function listLinkedIds({ object }: StripeEvent): string[] {
  const invoice = object.object === 'invoice_payment' ? [object.invoice] : []
  return [...new Set([object.id, ...listPaymentIds(object), ...invoice, getSubscriptionId(object)])].filter((id) => id !== undefined)
}

/** The last parts of event types, in the order in which such events happen to an object. Other types rank like `updated`. */
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

/** Returns the position of an event's type in `FINALITY`. */
function rankFinality({ type }: StripeEvent): number {
  const found = FINALITY.indexOf(type.slice(type.lastIndexOf('.') + 1))
  return found === -1 ? FINALITY.indexOf('updated') : found
}

const compare = (a: string | number, b: string | number) => (a < b ? -1 : a > b ? 1 : 0)

/** Compares two events by their objects' creation time and ID, then by Stripe's timestamp (in seconds), then by `FINALITY`. */
const compareEvents = (a: StripeEvent, b: StripeEvent): number =>
  compare(a.object.created, b.object.created) ||
  compare(a.object.id, b.object.id) ||
  compare(a.created, b.created) ||
  compare(rankFinality(a), rankFinality(b))

/** Returns whether an object has the given attributes. Nested objects may have additional ones. */
function hasAttributes(object: unknown, attributes: unknown): boolean {
  if (typeof attributes !== 'object' || attributes === null || Array.isArray(attributes))
    return isDeepStrictEqual(object ?? null, attributes ?? null)
  return (
    typeof object === 'object' &&
    object !== null &&
    Object.entries(attributes).every(([name, value]) => hasAttributes((object as Record<string, unknown>)[name], value))
  )
}

/** Returns whether an event changed its object from the state in another event about it. */
const changedFrom = ({ data }: StripeEvent, other: StripeEvent): boolean =>
  Object.keys(data.previous_attributes ?? {}).length > 0 && hasAttributes(other.data.object, data.previous_attributes)

/**
 * The maximum number of events about an object in the same second whose attributes are compared. The time grows with the cube of
 * this number.
 */
const MAX_TIED = 20

/**
 * Orders events that `compareEvents` considers equal: each one after the events whose state it changed, otherwise by ID. More than
 * `MAX_TIED` events are ordered only by ID.
 */
function orderTied(tied: StripeEvent[]): StripeEvent[] {
  const remaining = tied.toSorted((a, b) => compare(a.id, b.id))
  if (remaining.length > MAX_TIED) return remaining
  const ordered: StripeEvent[] = []
  while (remaining.length > 0) {
    const isFirst = (event: StripeEvent) => !remaining.some((other) => changedFrom(event, other) && !changedFrom(other, event))
    ordered.push(...remaining.splice(Math.max(remaining.findIndex(isFirst), 0), 1))
  }
  return ordered
}

/**
 * Returns events in the order to apply them, regardless of the order of arrival: by their objects' creation time and ID, then by
 * Stripe's timestamp (in seconds), then by `FINALITY`. If these are equal, an event follows those that contain its previous attributes.
 */
export function orderEvents(events: readonly StripeEvent[]): StripeEvent[] {
  const groups: StripeEvent[][] = []
  for (const event of events.toSorted(compareEvents)) {
    const last = groups.at(-1)
    if (last?.[0] && compareEvents(last[0], event) === 0) last.push(event)
    else groups.push([event])
  }
  return groups.flatMap(orderTied)
}
