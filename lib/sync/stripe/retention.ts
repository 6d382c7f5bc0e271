/** Marks the processed events that records no longer need, and deletes them after 90 days. */
import { sql } from 'drizzle-orm'
import type { Connection } from '@/db/client'
import { stripeEvents } from '@/db/schema'
import { PURGE_BATCH, purgeInBatches } from '../../core/purge'
import { textArray } from '../../core/sql'
import { listMembers } from './apply-events'
import type { StripeEvent } from './stripe-event'

/** How many days obsolete events are kept, for the timelines in the dashboard. Events that are not obsolete are kept forever. */
export const RETENTION_DAYS = 90

/** Marks events as obsolete. @param ids the IDs of events that have been processed, or will have been when the transaction ends */
export async function markObsolete({ rows }: Connection, seller: string, ids: string[]): Promise<void> {
  if (ids.length === 0) return
  await rows(sql`
    update ${stripeEvents} set is_obsolete = true where seller_id = ${seller} and id = any(${textArray(ids)}) and not is_obsolete`)
}

/**
 * Returns the IDs of the events that later ones replace: those that set only members that later ones set too. The other events are needed,
 * so that outdated information that arrives later does not overwrite the record.
 *
 * @param events all processed events about an object, in order
 */
export function findObsolete(events: readonly StripeEvent[]): string[] {
  const later = new Set<string>()
  const obsolete: string[] = []
  for (const event of events.toReversed()) {
    const members = listMembers(event)
    if (members.every((member) => later.has(member))) obsolete.push(event.id)
    for (const member of members) later.add(member)
  }
  return obsolete
}

/**
 * Unlinks old events about a subscription's earlier invoices from the subscription, which its latest invoice determines. Otherwise, all
 * invoices that it has ever had would be read for each of its events. The events remain linked to the payments of these invoices.
 *
 * @param events the events about the subscription and its invoices, in order
 */
export async function unlinkOldInvoices(
  { rows }: Connection,
  seller: string,
  subscription: string,
  events: readonly StripeEvent[],
): Promise<void> {
  const invoiceEvents = events.filter(({ object }) => object.object === 'invoice')
  const latest = invoiceEvents.at(-1)?.object.id
  const oldest = Date.now() / 1000 - RETENTION_DAYS * 86_400
  const ids = invoiceEvents.filter(({ created, object }) => object.id !== latest && created < oldest).map(({ id }) => id)
  if (ids.length === 0) return
  await rows(sql`
    update ${stripeEvents} set links = array_remove(links, ${subscription}) where seller_id = ${seller} and id = any(${textArray(ids)})`)
}

/** Selects a batch of obsolete events that happened more than `RETENTION_DAYS` days ago. */
export const expiredEvents = sql`
  select seller_id, id from ${stripeEvents}
  where is_obsolete and created < extract(epoch from now() - make_interval(days => ${RETENTION_DAYS}::int))::bigint order by created
  limit ${PURGE_BATCH}`

/** Deletes expired events. Their records are kept. */
export const purgeEvents = (): Promise<void> =>
  purgeInBatches(sql`delete from ${stripeEvents} where (seller_id, id) in (${expiredEvents}) returning 1`)
