/** Applies one event: finds all other events about the same objects, and updates the records of these objects. */
import { sql } from 'drizzle-orm'
import { z } from 'zod'
import type { Connection } from '@/db/client'
import { stripeEvents } from '@/db/schema'
import { mapInSlices } from '../../core/slices'
import { textArray } from '../../core/sql'
import { describeIssue, formatIssuePath } from '../../core/validation-issue'
import { applyEvents, InvalidEventError, type KindName } from './apply-events'
import type { StripeObject } from './objects'
import { findObsolete, markObsolete, unlinkOldInvoices } from './retention'
import {
  type Envelope,
  envelope,
  getSubscriptionId,
  listLinkedIds,
  listPaymentIds,
  orderEvents,
  readEvent,
  type StripeEvent,
} from './stripe-event'

/**
 * Validates an event's object like `readEvent`.
 *
 * @throws {InvalidEventError} if a member does not match the schema; the message contains its path
 */
export function parseEventObject(event: Envelope): StripeEvent | undefined {
  try {
    return readEvent(event)
  } catch (error) {
    const [issue] = error instanceof z.ZodError ? error.issues : []
    if (!issue) throw error
    throw new InvalidEventError(`data.object.${formatIssuePath(issue)} ${describeIssue(issue, event.data.object)}`)
  }
}

/**
 * The limits on what is read to apply one event. Stripe sends far less about the same objects in 90 days, and few of the earlier events are
 * still linked to them (see `retention.ts`).
 */
const MAX_EVENTS = 1000
const MAX_MEBIBYTES = 8
const MAX_PAYMENTS = 100

/** Reads the processed events that contain one of the Stripe IDs, and the current event. Returns all events read so far, in order. */
type Reader = (ids: string[]) => Promise<StripeEvent[]>

/**
 * Creates a reader, which reads each event only once.
 *
 * @param current the ID of the current event; empty if there is none
 * @returns a function that throws an `InvalidEventError` if the events exceed the limits in total, or one of them does not match the schema
 */
function createReader({ rows }: Connection, seller: string, current: string): Reader {
  const events = new Map<string, StripeEvent | undefined>()
  let bytes = MAX_MEBIBYTES * 1024 * 1024
  const readMore = async (ids: string[]) => {
    // Above the limits, no payload is read.
    const found = await rows<{ id: string; payload: string | null }>(sql`
      select id, case when count(*) over () <= ${MAX_EVENTS - events.size}::int and sum(octet_length(payload::text)) over () <= ${bytes}::int
        then payload::text end as payload from ${stripeEvents}
      where seller_id = ${seller} and (links && ${textArray(ids)} and state = 'done' or id = ${current})
        and id <> all(${textArray([...events.keys()])}) limit ${MAX_EVENTS}`)
    await mapInSlices(found, ({ id, payload }) => {
      if (payload === null)
        throw new InvalidEventError(
          `there are too many events about the same objects: more than ${MAX_EVENTS}, or more than ${MAX_MEBIBYTES} MiB in total`,
        )
      bytes -= Buffer.byteLength(payload)
      events.set(id, parseEventObject(envelope.parse(JSON.parse(payload))))
    })
  }
  return async (ids) => {
    if (ids.length > 0) await readMore(ids)
    return orderEvents([...events.values()].filter((event) => event !== undefined))
  }
}

/** Returns the ID of an invoice, or of the invoice that an object links to a payment. */
const getInvoiceId = (object: StripeObject) =>
  object.object === 'invoice' ? object.id : object.object === 'invoice_payment' ? object.invoice : undefined

/**
 * Returns the events about a payment and its invoices, and those that link the invoices to other payments. An invoice does not always
 * contain its payment, but `invoice_payment` events link the two.
 */
async function readPaymentEvents(reader: Reader, payment: string): Promise<StripeEvent[]> {
  const isAboutPayment = ({ object }: StripeEvent) => listPaymentIds(object).includes(payment)
  const direct = (await reader([payment])).filter(isAboutPayment)
  const invoices = new Set(direct.flatMap(({ object }) => getInvoiceId(object) ?? []))
  return (await reader([...invoices])).filter((event) => isAboutPayment(event) || invoices.has(getInvoiceId(event.object) ?? ''))
}

/** Returns the IDs of the payments that an event is about. @throws {InvalidEventError} if there are too many */
async function findPaymentIds(reader: Reader, { object }: StripeEvent): Promise<string[]> {
  const invoice = getInvoiceId(object)
  const invoiceEvents = invoice === undefined ? [] : await reader([invoice])
  const payments = [...new Set([object, ...invoiceEvents.map((related) => related.object)].flatMap(listPaymentIds))]
  if (payments.length > MAX_PAYMENTS) throw new InvalidEventError(`the invoice has more than ${MAX_PAYMENTS} payments`)
  return payments
}

const readObjectEvents = async (reader: Reader, type: StripeObject['object'], id: string) =>
  (await reader([id])).filter(({ object }) => object.object === type && object.id === id)

/** For each kind, a function that returns the processed events about an object and the current event, in order. */
const EVENT_READERS: Record<KindName, typeof readPaymentEvents> = {
  payment: readPaymentEvents,
  subscription: async (reader, id) => (await reader([id])).filter(({ object }) => getSubscriptionId(object) === id),
  coupon: (reader, id) => readObjectEvents(reader, 'coupon', id),
  customer: (reader, id) => readObjectEvents(reader, 'customer', id),
}

/** Returns every processed event about an object, in order. */
export const readProcessedEvents = (connection: Connection, seller: string, name: KindName, gatewayId: string): Promise<StripeEvent[]> =>
  EVENT_READERS[name](createReader(connection, seller, ''), gatewayId)

/**
 * Applies an event to its records, in the caller's transaction, and marks the events that are obsolete as a result.
 *
 * @returns the Stripe IDs that the event can be looked up by
 * @throws {InvalidEventError} if the event or a resulting record is not valid, or too many events or records are about its objects
 */
export async function applyEvent(connection: Connection, seller: string, envelope: Envelope): Promise<string[]> {
  const event = parseEventObject(envelope)
  if (!event) {
    await markObsolete(connection, seller, [envelope.id])
    return []
  }
  const reader = createReader(connection, seller, event.id)
  const update = async (name: KindName, gatewayId: string) =>
    applyEvents(connection, seller, name, gatewayId, await EVENT_READERS[name](reader, gatewayId))
  for (const payment of await findPaymentIds(reader, event)) await update('payment', payment)
  const subscription = getSubscriptionId(event.object)
  if (subscription !== undefined) {
    const events = await EVENT_READERS.subscription(reader, subscription)
    await applyEvents(connection, seller, 'subscription', subscription, events)
    await unlinkOldInvoices(connection, seller, subscription, events)
  }
  const { object, id } = event.object
  if (object === 'coupon' || object === 'customer') await update(object, id)
  await markObsolete(connection, seller, findObsolete(await readObjectEvents(reader, object, id)))
  return listLinkedIds(event)
}
