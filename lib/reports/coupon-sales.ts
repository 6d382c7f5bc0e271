/** Reads the sales with a coupon: the orders, their revenue, and the discount given. */
import { type SQL, sql } from 'drizzle-orm'
import { resources } from '../catalog'
import { SOLD_STATUSES } from '../catalog/order'
import { textArray } from '../core/sql'
import { CUSTOMER_RESOURCES, type CustomerResource } from '../listing/customer-orders'
import { pickPool } from '../listing/record-counts'
import { createReportReader } from './report-throttle'

/** The maximum number of records that `readCouponOrders` returns. */
const MAX_LATEST = 10

/** The sums of a coupon's payments and bookings in one currency, without test orders. */
export type CouponSums = {
  /** In uppercase; empty for orders without a currency. */
  currency: string
  /** The number of orders, whether paid or not. */
  orders: number
  /** In minor units: the amount paid, excluding fully refunded orders. Partial refunds are not deducted. */
  revenue: number
  /** In minor units: the total discount on the paid orders that contain a discount amount. */
  discount: number
  /** The number of paid orders that do not contain a discount amount. */
  unreported: number
}

/** A payment, booking or subscription with the coupon. */
type CouponOrder = { resource: CustomerResource; record: Record<string, unknown> }

export type CouponSales = {
  /** The number of payments and bookings with the coupon, whether paid or not, including test orders. */
  orders: number
  /** The number of subscriptions with the coupon, including test records. */
  subscriptions: number
  /** Payments and bookings by currency, without test orders. */
  sums: CouponSums[]
}

/** A coupon's ID and code. Orders contain its ID, or only its code. */
type CouponKey = { id: string; code: string }

/** Returns the two keys that orders use for a coupon: its ID or, in an order without the ID, its code. */
const listKeys = ({ id, code }: CouponKey) => [sql`${id}::text`, sql`'code ' || desk_fold(${code}::text)`]

/** Returns the condition that matches orders with one of a coupon's keys. Compares only 64-bit digests, which are unlikely to collide. */
const withDigest = (name: CustomerResource, sellerId: string, keys: readonly SQL[]): SQL => {
  const { table } = resources[name]
  const digests = keys.map((key) => sql`hashtextextended(${key}, 0)`)
  return sql`${table.sellerId} = ${sellerId} and ${table.couponDigest} in (${sql.join(digests, sql`, `)})`
}

const selectSums = (name: 'payments' | 'bookings', where: SQL) => sql`
  select desk_upper(coalesce(currency, '')) as currency, livemode is distinct from false as live, revenue, discount,
    status = any(${textArray(SOLD_STATUSES)}) as is_sold
  from ${resources[name].table} where ${where}`

/** Returns the sales with a coupon. @throws {UnavailableError} if too many reports are waiting, or this one takes too long */
export async function readCouponSales(sellerId: string, coupon: CouponKey): Promise<CouponSales> {
  const where = (name: CustomerResource) => withDigest(name, sellerId, listKeys(coupon))
  const { read } = await createReportReader(Object.values(resources), sellerId)
  const [rows, counts] = await Promise.all([
    read<CouponSums & { all: number }>(sql`
      select currency, (count(*) filter (where live))::int as orders, coalesce(sum(revenue) filter (where live), 0)::float8 as revenue,
        coalesce(sum(discount) filter (where live and is_sold), 0)::float8 as discount,
        (count(*) filter (where live and is_sold and discount is null))::int as unreported, count(*)::int as "all"
      from (${selectSums('payments', where('payments'))} union all ${selectSums('bookings', where('bookings'))}) as sold
      group by 1 order by 3 desc, 1`),
    read<{ subscriptions: number }>(sql`
      select count(*)::int as subscriptions from ${resources.subscriptions.table} where ${where('subscriptions')}`),
  ])
  return {
    orders: rows.reduce((sum, { all }) => sum + all, 0),
    subscriptions: counts[0]?.subscriptions ?? 0,
    sums: rows.flatMap(({ all: _, ...sums }) => (sums.orders > 0 ? [sums] : [])),
  }
}

/** Returns the newest orders and subscriptions with a coupon, including test records. */
export async function readCouponOrders(sellerId: string, coupon: CouponKey): Promise<CouponOrder[]> {
  const pool = await pickPool(Object.values(resources), sellerId)
  // Each digest is queried separately, so that the index returns the newest records first and few records are read.
  const parts = CUSTOMER_RESOURCES.flatMap((name) =>
    listKeys(coupon).map(
      (key) => sql`
        (select ${name}::text as resource, record::text as record, created_at, id from ${resources[name].table}
          where ${withDigest(name, sellerId, [key])} order by created_at desc, id desc limit ${MAX_LATEST})`,
    ),
  )
  const latest = await pool.query<{ resource: CustomerResource; record: string }>(sql`
    select resource, record from (${sql.join(parts, sql` union all `)}) as newest order by created_at desc, id desc limit ${MAX_LATEST}`)
  return latest.map(({ resource, record }) => ({ resource, record: JSON.parse(record) as Record<string, unknown> }))
}
