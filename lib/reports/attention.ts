/** Finds what needs the seller's attention: failed payments and bookings, and past-due subscriptions. Also detects an empty shop. */
import { sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { bookings, payments, recordCounts, subscriptions, ticketCounts } from '@/db/schema'
import { resources } from '../catalog'
import { instantText } from '../core/sql'
import { pickPool } from '../listing/record-counts'

export type FailureCounts = {
  /** The numbers of failed payments and failed bookings. */
  payments: number
  bookings: number
  /** The start of the counted period in ISO 8601: 24 hours ago, rounded down to the minute. */
  since: string
}

/** Counts the failed payments and bookings of the last 24 hours, including test orders, using the index on the status. */
export async function countFailures(seller: string): Promise<FailureCounts> {
  const pool = await pickPool([resources.payments, resources.bookings], seller)
  const since = sql`date_trunc('minute', now() - interval '24 hours')`
  const count = (table: typeof payments | typeof bookings) => sql`(
    select count(*)::int from ${table} where ${table.sellerId} = ${seller} and ${table.status} = 'failed' and ${table.createdAt} >= ${since})`
  const [row] = await pool.query<FailureCounts>(
    sql`select ${count(payments)} as payments, ${count(bookings)} as bookings, ${instantText(since)} as since`,
  )
  if (!row) throw new Error('The count of failures returned no row.')
  return row
}

/** The maximum number of past-due subscriptions to sum, including test records. */
const MAX_SUMMED = 1_000

export type PastDue = {
  /**
   * The total amount per billing period in each currency, in minor units, the most frequent currency first. Empty if there are too many
   * subscriptions.
   */
  sums: { currency: string; amount: number }[]
  /** The start of the oldest unpaid billing period, in ISO 8601; undefined if it is unknown or there are too many subscriptions. */
  since: string | undefined
}

/** Sums the amounts of the past-due subscriptions, excluding test records. */
export async function sumPastDue(seller: string): Promise<PastDue> {
  const { sellerId, status } = subscriptions
  const pool = await pickPool([resources.subscriptions], seller)
  const rows = await pool.use(({ rows: run }) =>
    run<{ currency: string; count: number; amount: number | null; since: string | null }>(sql`
      select desk_upper(coalesce(currency, '')) as currency, count(*)::int as count, (sum(amount) filter (where is_live))::float8 as amount,
        min(since) filter (where is_live) as since
      from (
        select currency, amount, livemode is distinct from false as is_live, record ->> 'currentPeriodStart' as since
        from ${subscriptions} where ${sellerId} = ${seller} and ${status} = 'past_due' limit ${MAX_SUMMED + 1}) as due
      group by 1 order by 2 desc, 1`),
  )
  if (rows.reduce((sum, { count }) => sum + count, 0) > MAX_SUMMED) return { sums: [], since: undefined }
  return {
    sums: rows.flatMap(({ currency, amount }) => (amount === null ? [] : [{ currency, amount }])),
    since: rows.flatMap((row) => row.since ?? []).sort()[0],
  }
}

/** Returns whether a seller has neither a record of any resource nor a paid ticket. */
export async function isEmptyShop(seller: string): Promise<boolean> {
  // From the primary: whether a replica is current is known only for records, not for tickets.
  const [row] = await database().query<{ isEmpty: boolean }>(sql`
    select (select coalesce(sum(${recordCounts.total}), 0) from ${recordCounts}
        where ${recordCounts.sellerId} = ${seller} and ${recordCounts.pageId} = '' and ${recordCounts.status} = '') = 0
      and (select coalesce(sum(${ticketCounts.sold}), 0) from ${ticketCounts} where ${ticketCounts.sellerId} = ${seller}) = 0 as "isEmpty"`)
  return row?.isEmpty ?? false
}
