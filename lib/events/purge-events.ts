/** Deletes expired events, and corrects the order of events that were restored from another database. */
import { sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { events, sellers } from '@/db/schema'
import { PURGE_BATCH, purgeInBatches } from '../core/purge'

/** How long events are kept. */
export const EVENT_LIFETIME = sql`interval '30 days'`

/** Deletes expired events in batches. A batch reads only each seller's first events, because those are the oldest. */
export const purgeOldEvents = (): Promise<void> =>
  purgeInBatches(sql`
    delete from ${events} where (seller_id, id) in (
      select old.seller_id, old.id from ${sellers} cross join lateral (
        select seller_id, id, created_at from ${events} where ${events.sellerId} = ${sellers.id}
        order by transaction_id, sequence limit ${sql.raw(String(PURGE_BATCH))}) as old
      where old.created_at <= now() - ${EVENT_LIFETIME} limit ${sql.raw(String(PURGE_BATCH))})
    returning 1`)

/**
 * Makes events that were restored from another database cluster older than all others, in the order of their sequence. A restore preserves
 * transaction IDs, and events whose transaction IDs this cluster has not reached yet would not be listed. Earlier events in the sequence
 * were restored too, and are moved with them.
 */
export async function moveRestoredEvents(): Promise<void> {
  await database().use(({ rows }) =>
    rows(sql`
      with restored as materialized (
        select last.seller_id, last.sequence from ${sellers} cross join lateral (
          select seller_id, max(sequence) as sequence from ${events}
          where ${events.sellerId} = ${sellers.id} and ${events.transactionId} >= pg_snapshot_xmax(pg_current_snapshot())
          group by seller_id) as last
      )
      update ${events} set transaction_id = '0' from restored
      where ${events.sellerId} = restored.seller_id and ${events.sequence} <= restored.sequence`),
  )
}
