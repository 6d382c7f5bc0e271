/** Applies one event: finds all other events about the same objects, and updates their records. */
import { sql } from 'drizzle-orm'
import { z } from 'zod'
import type { Connection } from '@/db/client'
import { stripeEvents } from '@/db/schema'
import { mapInSlices } from '../../core/slices'
import { placeOf, reasonOf } from '../../core/validation-issue'
import { applyEvents, InvalidEventError, type KindName } from './apply-events'
import { compareEvents, type Envelope, envelope, linksOf, paymentsOf, readEvent, type StripeEvent, subscriptionOf } from './event'
import type { StripeObject } from './objects'

/** Parses an event's object. @throws {InvalidEventError} with the first member that does not match Stripe's documentation */
export function read(event: Envelope): StripeEvent | undefined {
  try {
    return readEvent(event)
  } catch (error) {
    const [issue] = error instanceof z.ZodError ? error.issues : []
    if (!issue) throw error
    throw new InvalidEventError(`data.object.${placeOf(issue)} ${reasonOf(issue, event.data.object)}`)
  }
}

/** The limits of what is read to apply one event. Stripe sends far less about an object in 90 days. */
const MAX_EVENTS = 1000
const MAX_MEBIBYTES = 8
const MAX_PAYMENTS = 100

/**
 * Returns all events that contain one of these Stripe IDs, in order: the processed events and the current one.
 *
 * @throws {InvalidEventError} if there are too many to read, or one does not match Stripe's documentation
 */
async function eventsOf({ rows }: Connection, seller: string, ids: string[], current: string): Promise<StripeEvent[]> {
  if (ids.length === 0) return []
  const names = sql.join(
    ids.map((id) => sql`${id}`),
    sql`, `,
  )
  // Above the limits, no payload is read.
  const found = await rows<{ payload: string | null }>(sql`
    select case when count(*) over () <= ${MAX_EVENTS}::int and sum(octet_length(payload::text)) over () <= ${MAX_MEBIBYTES * 1024 * 1024}::int
      then payload::text end as payload from ${stripeEvents}
    where seller_id = ${seller} and (links && array[${names}]::text[] and state = 'done' or id = ${current}) limit ${MAX_EVENTS}`)
  const events = await mapInSlices(found, ({ payload }) => {
    if (payload === null)
      throw new InvalidEventError(`more than ${MAX_EVENTS} events, or more than ${MAX_MEBIBYTES} MiB of them, are about the same object`)
    return read(envelope.parse(JSON.parse(payload)))
  })
  return events.filter((event) => event !== undefined).sort(compareEvents)
}

const isOf = (event: StripeEvent, payment: string) => paymentsOf(event.object).includes(payment)

/** An invoice does not always contain its payment; `invoice_payment` events link the two. */
async function paymentEvents(connection: Connection, seller: string, payment: string, current: string): Promise<StripeEvent[]> {
  const named = (await eventsOf(connection, seller, [payment], current)).filter((event) => isOf(event, payment))
  const invoices = new Set(named.flatMap(({ object }) => (object.object === 'invoice_payment' ? [object.invoice] : [])))
  const tied = (await eventsOf(connection, seller, [...invoices], current)).filter(({ object }) => invoices.has(object.id))
  return [...new Map([...named, ...tied].map((event) => [event.id, event])).values()].sort(compareEvents)
}

async function paymentsAbout(connection: Connection, seller: string, { id, object }: StripeEvent): Promise<string[]> {
  const ties = object.object === 'invoice' ? await eventsOf(connection, seller, [object.id], id) : []
  const payments = [...new Set([object, ...ties.map((tie) => tie.object)].flatMap(paymentsOf))]
  if (payments.length > MAX_PAYMENTS) throw new InvalidEventError(`more than ${MAX_PAYMENTS} payments belong to its invoice`)
  return payments
}

const eventsAbout = async (connection: Connection, seller: string, type: StripeObject['object'], id: string, current: string) =>
  (await eventsOf(connection, seller, [id], current)).filter(({ object }) => object.object === type)

/** Finds all events about an object, by kind, in order: the processed events and the current one. */
const EVENTS: Record<KindName, typeof paymentEvents> = {
  payment: paymentEvents,
  async subscription(connection, seller, id, current) {
    return (await eventsOf(connection, seller, [id], current)).filter(({ object }) => subscriptionOf(object) === id)
  },
  coupon: (connection, seller, id, current) => eventsAbout(connection, seller, 'coupon', id, current),
  customer: (connection, seller, id, current) => eventsAbout(connection, seller, 'customer', id, current),
}

/** Returns every processed event about an object, in order. */
export const knownEvents = (connection: Connection, seller: string, name: KindName, gatewayId: string): Promise<StripeEvent[]> =>
  EVENTS[name](connection, seller, gatewayId, '')

/**
 * Applies an event to its records, in the transaction of `connection`.
 *
 * @returns the Stripe IDs by which the event is found later
 * @throws {InvalidEventError} if the result is not a valid record, or too many events are about the same object
 */
export async function applyEvent(connection: Connection, seller: string, envelope: Envelope): Promise<string[]> {
  const event = read(envelope)
  if (!event) return []
  const update = async (name: KindName, gatewayId: string) =>
    applyEvents(connection, seller, name, gatewayId, await EVENTS[name](connection, seller, gatewayId, event.id))
  for (const payment of await paymentsAbout(connection, seller, event)) await update('payment', payment)
  const subscription = subscriptionOf(event.object)
  if (subscription !== undefined) await update('subscription', subscription)
  const { object, id } = event.object
  if (object === 'coupon' || object === 'customer') await update(object, id)
  return linksOf(event)
}
