/** Works one event off: finds what else is known of the records that it is about, and brings them up to date. */
import { sql } from 'drizzle-orm'
import { z } from 'zod'
import type { Connection } from '@/db/client'
import { stripeEvents } from '@/db/schema'
import { placeOf, reasonOf } from '../issue'
import { type Envelope, envelope, inOrder, linksOf, paymentsOf, readEvent, subscriptionOf, type Told } from './event'
import { applyEvents, BadEvent } from './targets'

/** @throws {BadEvent} saying which member is not as Stripe describes it */
export function read(event: Envelope): Told | undefined {
  try {
    return readEvent(event)
  } catch (error) {
    const [issue] = error instanceof z.ZodError ? error.issues : []
    if (!issue) throw error
    throw new BadEvent(`data.object.${placeOf(issue)} ${reasonOf(issue, event.data.object)}`)
  }
}

/** Every event that names one of these ids of Stripe's: those that were worked off, and the one that is at work. In order. */
async function eventsOf({ rows }: Connection, seller: string, ids: string[], current: string): Promise<Told[]> {
  if (ids.length === 0) return []
  const names = sql.join(
    ids.map((id) => sql`${id}`),
    sql`, `,
  )
  const found = await rows<{ payload: string }>(sql`
    select payload::text as payload from ${stripeEvents}
    where seller_id = ${seller} and (links && array[${names}]::text[] and state = 'done' or id = ${current})`)
  return found
    .map(({ payload }) => read(envelope.parse(JSON.parse(payload))))
    .filter((told) => told !== undefined)
    .sort(inOrder)
}

const isOf = (told: Told, payment: string) => paymentsOf(told.object).includes(payment)

/** An invoice names its payment only now and then: otherwise the event of its being paid ties the two together. */
async function paymentEvents(connection: Connection, seller: string, payment: string, current: string): Promise<Told[]> {
  const named = (await eventsOf(connection, seller, [payment], current)).filter((told) => isOf(told, payment))
  const invoices = new Set(named.flatMap(({ object }) => (object.object === 'invoice_payment' ? [object.invoice] : [])))
  const tied = (await eventsOf(connection, seller, [...invoices], current)).filter(({ object }) => invoices.has(object.id))
  return [...new Map([...named, ...tied].map((told) => [told.id, told])).values()].sort(inOrder)
}

async function paymentsAbout(connection: Connection, seller: string, { id, object }: Told): Promise<string[]> {
  const ties = object.object === 'invoice' ? await eventsOf(connection, seller, [object.id], id) : []
  return [...new Set([object, ...ties.map((tie) => tie.object)].flatMap(paymentsOf))]
}

/**
 * Applies an event to its records, in the transaction of `connection`.
 *
 * @returns by what it is found again
 * @throws {BadEvent} where it says what can't be
 */
export async function applyEvent(connection: Connection, seller: string, event: Envelope): Promise<string[]> {
  const told = read(event)
  if (!told) return []
  for (const payment of await paymentsAbout(connection, seller, told)) {
    await applyEvents(connection, seller, 'payment', payment, await paymentEvents(connection, seller, payment, told.id))
  }
  const subscription = subscriptionOf(told.object)
  if (subscription !== undefined) {
    const events = await eventsOf(connection, seller, [subscription], told.id)
    const its = events.filter(({ object }) => subscriptionOf(object) === subscription)
    await applyEvents(connection, seller, 'subscription', subscription, its)
  }
  if (told.object.object === 'coupon') {
    const coupon = told.object.id
    const events = await eventsOf(connection, seller, [coupon], told.id)
    const its = events.filter(({ object }) => object.object === 'coupon')
    await applyEvents(connection, seller, 'coupon', coupon, its)
  }
  return linksOf(told)
}
