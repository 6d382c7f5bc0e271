/** What a coupon earns: its orders, their revenue, and the discount given. */
import { type SQL, sql } from 'drizzle-orm'
import { readPool } from '@/db/client'
import { resources } from '../catalog'
import { CUSTOMER_LISTS, type CustomerList } from '../listing/customer'
import { replicationState } from '../listing/record-counts'

/** The number of orders that are returned. */
const LATEST = 10

export type CouponSums = {
  /** In uppercase; empty for orders without a currency. */
  currency: string
  orders: number
  /** Minor units: what was paid for the orders, without refunded ones. */
  revenue: number
  /** Minor units: what was taken off the orders that were paid. */
  discount: number
}

export type CouponOrder = { resource: CustomerList; record: Record<string, unknown> }

export type CouponSales = {
  /** The number of orders with the coupon, whether paid or not, with test orders and subscriptions. */
  orders: number
  subscriptions: number
  /** Payments and bookings by currency, without test orders. */
  sums: CouponSums[]
  /** The newest orders. */
  latest: CouponOrder[]
}

/** Selects the conditions of the orders with a coupon, by its ID, or by its code if the order has no ID. */
function withCoupon(name: CustomerList, sellerId: string, { id, code }: { id: string; code: string }): SQL {
  const { table } = resources[name]
  const found = sql`coalesce(lower(record ->> 'couponId'), lower(record -> 'coupon' ->> 'id'), 'code ' || desk_fold(record -> 'coupon' ->> 'code'))`
  const byCode = sql`'code ' || desk_fold(${code}::text)`
  return sql`${table.couponDigest} in (hashtextextended(${id}, 0), hashtextextended(${byCode}, 0))
    and ${table.sellerId} = ${sellerId} and ${found} in (${id}, ${byCode})`
}

const DISCOUNT = sql`coalesce((record -> 'coupon' ->> 'discount')::numeric, (record -> 'coupon' ->> 'amountOff')::numeric, 0)`

const sumsOf = (name: 'payments' | 'bookings', where: SQL) => sql`
  select upper(coalesce(currency, '')) as currency, livemode is distinct from false as live, revenue, case when revenue > 0 then ${DISCOUNT} else 0 end as discount
  from ${resources[name].table} where ${where}`

/** Returns the sales of a coupon. @param coupon its ID, and its code */
export async function readCouponSales(sellerId: string, coupon: { id: string; code: string }): Promise<CouponSales> {
  const pool = await readPool(() => replicationState(Object.values(resources), sellerId))
  const where = (name: CustomerList) => withCoupon(name, sellerId, coupon)
  const newest = (name: CustomerList) => sql`
    (select ${name}::text as resource, record::text as record, created_at, id from ${resources[name].table} where ${where(name)}
      order by created_at desc, id desc limit ${LATEST})`
  return pool.use(async ({ rows }) => {
    const [sums, counts, latest] = await Promise.all([
      rows<CouponSums>(sql`
        select currency, count(*)::int as orders, sum(revenue)::float8 as revenue, sum(discount)::float8 as discount
        from (${sumsOf('payments', where('payments'))} union all ${sumsOf('bookings', where('bookings'))}) as sold
        where live group by 1 order by 3 desc, 1`),
      rows<Record<CustomerList, number>>(sql`
        select ${sql.join(
          CUSTOMER_LISTS.map(
            (name) => sql`(select count(*)::int from ${resources[name].table} where ${where(name)}) as ${sql.identifier(name)}`,
          ),
          sql`, `,
        )}`),
      rows<{ resource: CustomerList; record: string }>(sql`
        select resource, record from (${sql.join(CUSTOMER_LISTS.map(newest), sql` union all `)}) as newest
        order by created_at desc, id desc limit ${LATEST}`),
    ])
    const [{ payments, bookings, subscriptions } = { payments: 0, bookings: 0, subscriptions: 0 }] = counts
    return {
      orders: payments + bookings,
      subscriptions,
      sums,
      latest: latest.map(({ resource, record }) => ({ resource, record: JSON.parse(record) as Record<string, unknown> })),
    }
  })
}
