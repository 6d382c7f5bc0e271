/** Counts the subscriptions that are active now, and those that were active at the start of the span. */
import { sql } from 'drizzle-orm'
import { readPool } from '@/db/client'
import { subscriptions } from '@/db/schema'
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
  const mine = sql`${subscriptions.sellerId} = ${seller} and ${subscriptions.livemode} is not false`
  const isActive = sql`${subscriptions.status} in ('active', 'trialing')`
  const pool = await readPool(() => replicationState([resources.subscriptions], seller))
  const [row] = await runReport(seller, () =>
    pool.use(({ rows }) =>
      rows<{ active: number; still: number; ended: number }>(sql`
      select count(*)::int as active, count(*) filter (where ${subscriptions.createdAt} < ${begin}::timestamptz)::int as still, (
        select count(*)::int from ${subscriptions} where ${mine} and ${subscriptions.status} = 'canceled'
          and ${subscriptions.record} ->> 'canceledAt' >= ${begin} and ${subscriptions.createdAt} < ${begin}::timestamptz) as ended
      from ${subscriptions} where ${mine} and ${isActive}`),
    ),
  )
  return { active: row?.active ?? 0, before: (row?.still ?? 0) + (row?.ended ?? 0) }
}
