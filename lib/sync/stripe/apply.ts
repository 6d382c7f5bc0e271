/** Works one event off: finds what else is known of the records that it is about, and brings them up to date. */
import { sql } from 'drizzle-orm'
import { z } from 'zod'
import type { Connection } from '@/db/client'
import { stripeEvents } from '@/db/schema'
import { placeOf, reasonOf } from '../../core/validation-issue'
import { type Envelope, envelope, inOrder, linksOf, paymentsOf, readEvent, subscriptionOf, type Told } from './event'
import { applyEvents, BadEvent, type KindName } from './targets'

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

/** Every event that says anything of an object of Stripe's: those that were worked off, and the one that is at work. In order. */
const EVENTS: Record<KindName, typeof paymentEvents> = {
  payment: paymentEvents,
  async subscription(connection, seller, id, current) {
    return (await eventsOf(connection, seller, [id], current)).filter(({ object }) => subscriptionOf(object) === id)
  },
  async coupon(connection, seller, id, current) {
    return (await eventsOf(connection, seller, [id], current)).filter(({ object }) => object.object === 'coupon')
  },
}

/** Every event that was worked off and says anything of an object of Stripe's. In order. */
export const knownEvents = (connection: Connection, seller: string, name: KindName, gatewayId: string): Promise<Told[]> =>
  EVENTS[name](connection, seller, gatewayId, '')

/**
 * Applies an event to its records, in the transaction of `connection`.
 *
 * @returns by what it is found again
 * @throws {BadEvent} where it says what can't be
 */
export async function applyEvent(connection: Connection, seller: string, event: Envelope): Promise<string[]> {
  const told = read(event)
  if (!told) return []
  const bring = async (name: KindName, gatewayId: string) =>
    applyEvents(connection, seller, name, gatewayId, await EVENTS[name](connection, seller, gatewayId, told.id))
  for (const payment of await paymentsAbout(connection, seller, told)) await bring('payment', payment)
  const subscription = subscriptionOf(told.object)
  if (subscription !== undefined) await bring('subscription', subscription)
  if (told.object.object === 'coupon') await bring('coupon', told.object.id)
  return linksOf(told)
}
