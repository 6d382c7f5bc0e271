/** Counts what a seller should look at: failed payments and bookings, and whether the shop has any records yet. */
import { sql } from 'drizzle-orm'
import { readPool } from '@/db/client'
import { bookings, payments, recordCounts, ticketCounts } from '@/db/schema'
import { resources } from '../catalog'
import { instantText } from '../core/sql'
import { replicationState } from '../listing/record-counts'

export type Failures = {
  payments: number
  bookings: number
  /** The instant from which on they are counted, 24 hours ago. */
  since: string
}

/** Counts the orders of the last 24 hours whose payment failed, in the index by status. */
export async function countFailures(seller: string): Promise<Failures> {
  const pool = await readPool(() => replicationState([resources.payments, resources.bookings], seller))
  const since = sql`date_trunc('minute', now() - interval '24 hours')`
  const count = (table: typeof payments | typeof bookings) => sql`(
    select count(*)::int from ${table} where ${table.sellerId} = ${seller} and ${table.status} = 'failed' and ${table.createdAt} >= ${since})`
  const [row] = await pool.use(({ rows }) =>
    rows<Failures>(sql`select ${count(payments)} as payments, ${count(bookings)} as bookings, ${instantText(since)} as since`),
  )
  if (!row) throw new Error('The count of failures returned no row.')
  return row
}

/** Returns whether a seller has no record and no ticket. */
export async function isEmptyShop(seller: string): Promise<boolean> {
  const pool = await readPool(() => replicationState(Object.values(resources), seller))
  const [row] = await pool.use(({ rows }) =>
    rows<{ isEmpty: boolean }>(sql`
      select (select coalesce(sum(${recordCounts.total}), 0) from ${recordCounts}
          where ${recordCounts.sellerId} = ${seller} and ${recordCounts.pageId} = '' and ${recordCounts.status} = '') = 0
        and (select coalesce(sum(${ticketCounts.sold}), 0) from ${ticketCounts} where ${ticketCounts.sellerId} = ${seller}) = 0 as "isEmpty"`),
  )
  return row?.isEmpty ?? false
}
