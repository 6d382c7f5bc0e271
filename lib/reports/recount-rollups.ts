/** Compares the rollups with the records, and repairs differences. */
import { sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { rollups } from '@/db/schema'
import { instantText } from '../core/sql'

type Sums = { revenue: number; orders: number; refunds: number }
type Key = Pick<typeof rollups.$inferSelect, 'resource' | 'sellerId' | 'level' | 'bucket' | 'currency' | 'pageId'>

/** A bucket whose stored sums (`said`) are not those of its records (`found`). */
export type RollupDifference = Key & { said: Sums; found: Sums }

/** The key of the advisory lock, an arbitrary number. Without the lock, two concurrent recounts would each add the difference. */
const LOCK = 7_034_125_011

const KEY = sql`seller_id, resource, level, bucket, currency, page_id`

/** Compares in a single statement and therefore a single snapshot, so that concurrent writes affect both sides equally. */
const differences = sql`
  select ${KEY}, coalesce(said.revenue, 0) as said_revenue, coalesce(said.orders, 0) as said_orders, coalesce(said.refunds, 0) as said_refunds,
    coalesce(found.revenue, 0) as found_revenue, coalesce(found.orders, 0) as found_orders, coalesce(found.refunds, 0) as found_refunds
  from (
    select * from desk_rollups_of_payments union all select * from desk_rollups_of_bookings union all select * from desk_rollups_of_subscriptions
  ) as found full join (
    select ${KEY}, sum(revenue) as revenue, sum(orders) as orders, sum(refunds) as refunds from ${rollups} group by ${KEY}
  ) as said using (${KEY})
  where (coalesce(said.revenue, 0), coalesce(said.orders, 0), coalesce(said.refunds, 0))
    <> (coalesce(found.revenue, 0), coalesce(found.orders, 0), coalesce(found.refunds, 0))`

/** Adds the differences in a new slot. Additions commute, so writers do not have to be blocked. */
const repair = sql`
  insert into ${rollups} (${KEY}, slot, revenue, orders, refunds)
  select ${KEY}, own.slot, found_revenue - said_revenue, found_orders - said_orders, found_refunds - said_refunds
  from different, (select nextval('record_count_slots') as slot) as own
  returning 1`

type Row = Key & Record<'saidRevenue' | 'saidOrders' | 'saidRefunds' | 'foundRevenue' | 'foundOrders' | 'foundRefunds', number>

/**
 * Sums up all records and compares the result with the stored sums, without blocking writes.
 *
 * @param repairs whether to correct differences
 * @returns the differences
 */
export async function recountRollups(repairs: boolean): Promise<RollupDifference[]> {
  const different = await database().transaction(async ({ rows }) => {
    await rows(sql`select pg_advisory_xact_lock(${LOCK}::bigint)`)
    return rows<Row>(sql`
      with different as materialized (${differences}) ${repairs ? sql`, repaired as (${repair})` : sql``}
      select resource, seller_id as "sellerId", level, ${instantText(sql`bucket`)} as bucket, currency, page_id as "pageId",
        said_revenue::float8 as "saidRevenue", said_orders::int as "saidOrders", said_refunds::int as "saidRefunds",
        found_revenue::float8 as "foundRevenue", found_orders::int as "foundOrders", found_refunds::int as "foundRefunds"
      from different order by 1, 2, 3, 4, 5, 6`)
  })
  return different.map(({ saidRevenue, saidOrders, saidRefunds, foundRevenue, foundOrders, foundRefunds, ...key }) => ({
    ...key,
    said: { revenue: saidRevenue, orders: saidOrders, refunds: saidRefunds },
    found: { revenue: foundRevenue, orders: foundOrders, refunds: foundRefunds },
  }))
}
