/** Deletes expired events, and corrects the order of events that were restored from another database. */
import { type SQL, sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { events, sellers } from '@/db/schema'
import { PURGE_BATCH, purgeInBatches } from '../core/purge'
import { runAll } from '../core/run-all'

/** The retention period of events. */
export const EVENT_LIFETIME = sql`interval '30 days'`

/** Selects a seller's first events, which are the oldest. */
const firstEvents = (limit: number) => sql`
  select seller_id, id, created_at from ${events} where ${events.sellerId} = ${sellers.id}
  order by transaction_id, sequence limit ${sql.raw(String(limit))}`

/**
 * Selects a batch of expired events. Reads only one event of each seller whose oldest event has not expired, because a server can have
 * hundreds of sellers.
 */
export const expiredEvents = sql`
  select old.seller_id, old.id from ${sellers} cross join lateral (${firstEvents(1)}) as oldest
    cross join lateral (${firstEvents(PURGE_BATCH)}) as old
  where oldest.created_at <= now() - ${EVENT_LIFETIME} and old.created_at <= now() - ${EVENT_LIFETIME}
  limit ${sql.raw(String(PURGE_BATCH))}`

/** Deletes expired events in batches. */
export const purgeOldEvents = (): Promise<void> =>
  purgeInBatches(sql`delete from ${events} where (seller_id, id) in (${expiredEvents}) returning 1`)

/** The time limit for moving a seller's restored events, in milliseconds. A seller can have millions of them. */
const MOVE_MS = 300_000

/** Runs a statement with that time limit, in its own transaction. */
const runLong = <Row>(query: SQL): Promise<Row[]> =>
  database('jobs').transaction(
    async ({ rows }) => {
      await rows(sql`select set_config('statement_timeout', ${String(MOVE_MS)}, true)`)
      return rows<Row>(query)
    },
    undefined,
    MOVE_MS,
  )

/**
 * Gives events that were restored from another database cluster the lowest transaction ID, so that they are the oldest, in the order of
 * their sequence. A restore preserves transaction IDs, and events whose transaction IDs this cluster has not reached yet would not be
 * listed. Earlier events in the sequence were restored too, and are moved with them.
 *
 * Moves all of a seller's restored events at once, so that readers never see only some of them in the new order. Moves the events of one
 * seller at a time, because changes to the seller's records have to wait in the meantime.
 */
export async function moveRestoredEvents(): Promise<void> {
  const restored = await runLong<{ seller: string; last: string }>(sql`
    select ${sellers.id} as seller, last.sequence::text as last from ${sellers} cross join lateral (
      select max(sequence) as sequence from ${events}
      where ${events.sellerId} = ${sellers.id} and ${events.transactionId} >= pg_snapshot_xmax(pg_current_snapshot())) as last
    where last.sequence is not null`)
  const move = ({ seller, last }: { seller: string; last: string }) =>
    runLong(
      sql`update ${events} set transaction_id = '0' where ${events.sellerId} = ${seller} and ${events.sequence} <= ${last}::text::bigint`,
    )
  await runAll(restored.map((last) => () => move(last)))
}
