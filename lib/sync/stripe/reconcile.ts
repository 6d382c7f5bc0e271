/** Reconciles imported records with Stripe's events about the same objects: each object has one record, whichever arrives first. */
import { sql } from 'drizzle-orm'
import type { Connection } from '@/db/client'
import { stripeEvents } from '@/db/schema'
import { type ResourceName, resources } from '../../catalog'
import { log } from '../../core/log'
import { textArray } from '../../core/sql'
import { applyEvents, deriveId, getResource, InvalidEventError, type KindName, kindsIn } from './apply-events'
import { RETENTION_DAYS } from './events'
import { readProcessedEvents } from './related-events'

/** Returns the Stripe IDs of the given records for which there are processed events. */
async function findMentionedIds({ rows }: Connection, seller: string, name: ResourceName, ids: string[]): Promise<string[]> {
  const { table } = resources[name]
  const found = await rows<{ id: string }>(sql`
    select id from (
      select distinct gateway_id as id from ${table} where seller_id = ${seller} and id = any(${textArray(ids)}) and gateway_id <> ''
    ) as named
    where exists (select from ${stripeEvents} where seller_id = ${seller} and state = 'done' and links @> array[named.id])
    order by id`)
  return found.map(({ id }) => id)
}

/**
 * Returns the IDs of records that were created from events about the given objects and can be replaced. Replacing older records would lose
 * data, because some of their events might have been deleted.
 */
async function findReplaceable({ rows }: Connection, seller: string, kind: KindName, gatewayIds: string[]): Promise<Set<string>> {
  const ids = gatewayIds.map((gatewayId) => deriveId(seller, gatewayId))
  const found = await rows<{ id: string }>(sql`
    select id from ${getResource(kind).table} where seller_id = ${seller} and id = any(${textArray(ids)})
      and created_at > now() - make_interval(days => ${RETENTION_DAYS}::int)`)
  return new Set(found.map(({ id }) => id))
}

/**
 * Applies stored events to newly imported records, in the transaction that wrote the records and locked the seller's account. The imported
 * records replace records that were created from the events. If an event does not fit an imported record, the record is left as imported,
 * and a warning is logged.
 *
 * @param ids the IDs of the imported records
 */
export async function reconcile(connection: Connection, seller: string, name: ResourceName, ids: string[]): Promise<void> {
  for (const kind of kindsIn(name)) {
    const mentioned = await findMentionedIds(connection, seller, name, ids)
    if (mentioned.length === 0) continue
    const replaceable = await findReplaceable(connection, seller, kind, mentioned)
    for (const gatewayId of mentioned) {
      const ownId = deriveId(seller, gatewayId)
      try {
        const events = await readProcessedEvents(connection, seller, kind, gatewayId)
        if (events.length === 0) continue
        await applyEvents(connection, seller, kind, gatewayId, events, replaceable.has(ownId) && !ids.includes(ownId))
      } catch (error) {
        if (!(error instanceof InvalidEventError)) throw error
        log().warn({ seller, resource: name, reason: error.message }, 'Stripe events do not fit the imported record')
      }
    }
  }
}
