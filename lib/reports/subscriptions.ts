/** Counts the subscriptions that are active now, and those that were active at the start of the span. */
import { sql } from 'drizzle-orm'
import { readPool } from '@/db/client'
import { rollups } from '@/db/schema'
import { resources } from '../catalog'
import { replicationState } from '../listing/record-counts'
import { type DateRange, getBounds } from './date-range'
import { runReport } from './report-throttle'

export type SubscriptionCount = { active: number; before: number }

/**
 * Counts active subscriptions, including trials. The number at the start of the span is an estimate: subscriptions that already existed and are
 * active now or were canceled since. Records do not store status changes, so pauses in between are not visible.
 */
export async function countSubscriptions(seller: string, days: DateRange): Promise<SubscriptionCount> {
  const { begin } = getBounds(days)
  const mine = sql`${rollups.sellerId} = ${seller} and ${rollups.resource} = 'subscriptions'`
  const day = sql`date_bin('1 day', ${begin}::timestamptz, '2000-01-01 00:00:00+00')`
  const pool = await readPool(() => replicationState([resources.subscriptions], seller))
  const [row] = await runReport(seller, () =>
    pool.use(({ rows }) =>
      rows<SubscriptionCount>(sql`
      select coalesce(sum(orders), 0)::int as active, (coalesce(sum(orders) filter (where bucket < ${day}), 0) + (
          select coalesce(sum(orders), 0) from ${rollups}
          where ${mine} and ${rollups.level} = 'quarter' and ${rollups.bucket} >= ${day} and ${rollups.bucket} < ${begin}::timestamptz))::int as before
      from ${rollups} where ${mine} and ${rollups.level} = 'day'`),
    ),
  )
  return row ?? { active: 0, before: 0 }
}
