/** How many subscriptions run, and how many ran when the span began. */
import { sql } from 'drizzle-orm'
import { subscriptions } from '@/db/schema'
import { resources } from '../catalog'
import { pickReadPool } from '../listing/read-pool'
import { boundsOf, type Days } from './days'

export type SubscriptionCount = { active: number; before: number }

/**
 * Active or on trial now; and then: of those that had been made, the ones that still run and the ones canceled since.
 * A record keeps no history of its status, so a pause or a missed payment in between is not seen.
 */
export async function countSubscriptions(seller: string, days: Days): Promise<SubscriptionCount> {
  const { begin } = boundsOf(days)
  const mine = sql`${subscriptions.sellerId} = ${seller} and ${subscriptions.livemode} is not false`
  const running = sql`${subscriptions.status} in ('active', 'trialing')`
  const pool = await pickReadPool([resources.subscriptions], seller)
  const [row] = await pool.use(({ rows }) =>
    rows<{ active: number; still: number; ended: number }>(sql`
      select count(*)::int as active, count(*) filter (where ${subscriptions.createdAt} < ${begin}::timestamptz)::int as still, (
        select count(*)::int from ${subscriptions} where ${mine} and ${subscriptions.status} = 'canceled'
          and ${subscriptions.record} ->> 'canceledAt' >= ${begin} and ${subscriptions.createdAt} < ${begin}::timestamptz) as ended
      from ${subscriptions} where ${mine} and ${running}`),
  )
  return { active: row?.active ?? 0, before: (row?.still ?? 0) + (row?.ended ?? 0) }
}
