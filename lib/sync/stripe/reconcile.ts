/** A seller's own records and Stripe's events of the same things: whichever came first, there is one record, and it says what the events say. */
import { sql } from 'drizzle-orm'
import type { Connection } from '@/db/client'
import { stripeEvents } from '@/db/schema'
import { type ResourceName, resources } from '../../catalog'
import { log } from '../../core/log'
import { knownEvents } from './apply'
import { KEPT_DAYS } from './events'
import { applyEvents, BadEvent, type KindName, kindsIn, madeIn, ownIdOf } from './targets'

/** Which of the ids that Stripe knows imported records by are told of by events that are kept. */
async function toldOf({ rows }: Connection, seller: string, name: ResourceName, ids: string[]): Promise<string[]> {
  const { table } = resources[name]
  const found = await rows<{ id: string }>(sql`
    select id from (
      select distinct gateway_id as id from ${table} where seller_id = ${seller} and id = any(${sql.param(ids)}::text[]) and gateway_id <> ''
    ) as named
    where exists (select from ${stripeEvents} where seller_id = ${seller} and state = 'done' and links @> array[named.id])
    order by id`)
  return found.map(({ id }) => id)
}

/**
 * Of the records that were made of these events, those that can give way: what an older one says may have come of events that are not
 * kept any more, and would go with it.
 */
async function madeOf({ rows }: Connection, seller: string, kind: KindName, gatewayIds: string[]): Promise<Set<string>> {
  const ids = gatewayIds.map((gatewayId) => ownIdOf(seller, gatewayId))
  const found = await rows<{ id: string }>(sql`
    select id from ${madeIn(kind).table} where seller_id = ${seller} and id = any(${sql.param(ids)}::text[])
      and created_at > now() - make_interval(days => ${KEPT_DAYS}::int)`)
  return new Set(found.map(({ id }) => id))
}

/**
 * Brings records that have just been imported to what the kept events say of them, in the transaction that wrote them, which holds the
 * seller's account. What was made of the events before the records came gives way to them. Where the two don't fit together, the
 * record stays as it was imported, and the log says so.
 *
 * @param ids of the records
 */
export async function adopt(connection: Connection, seller: string, name: ResourceName, ids: string[]): Promise<void> {
  for (const kind of kindsIn(name)) {
    const told = await toldOf(connection, seller, name, ids)
    if (told.length === 0) continue
    const made = await madeOf(connection, seller, kind, told)
    for (const gatewayId of told) {
      const ownId = ownIdOf(seller, gatewayId)
      const events = await knownEvents(connection, seller, kind, gatewayId)
      if (events.length === 0) continue
      try {
        await applyEvents(connection, seller, kind, gatewayId, events, made.has(ownId) && !ids.includes(ownId))
      } catch (error) {
        if (!(error instanceof BadEvent)) throw error
        log().warn({ seller, resource: name, reason: error.message }, 'what Stripe says does not fit the imported record')
      }
    }
  }
}
