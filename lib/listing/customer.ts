/** Everything of one customer: the orders and subscriptions with their e-mail address, and the coupons that they used. */
import { and, type SQL, sql } from 'drizzle-orm'
import type { Connection } from '@/db/client'
import { type ResourceName, resources } from '../catalog'
import type { Resource } from '../catalog/resource'
import { narrowed } from './conditions'
import { pickReadPool } from './read-pool'
import { matchesByTrigrams, searchFor } from './search-matches'

/** The lists whose records name a customer. */
export const CUSTOMER_LISTS = ['payments', 'bookings', 'subscriptions'] as const satisfies readonly ResourceName[]
export type CustomerList = (typeof CUSTOMER_LISTS)[number]

/** How many of each are shown. */
const LATEST = 5

export type Paid = {
  /** As it was given; in capitals. Empty where an order says none. */
  currency: string
  /** Minor units. */
  amount: number
}

export type UsedCoupon = {
  /** A coupon that still exists has one. */
  id?: string
  /** As it is now, or as the order has it; its id where neither says. */
  code: string
  label?: string
  /** In how many orders. */
  orders: number
}

export type CustomerRecords = {
  count: number
  /** How many of them are subscriptions that run. */
  active: number
  /** What was paid and not refunded in whole, by currency; test orders aside. No sum for subscriptions: their amount is one period's. */
  paid: Paid[]
  /** JSON texts, newest first. */
  latest: string[]
}

export type Customer = { lists: Record<CustomerList, CustomerRecords>; coupons: UsedCoupon[] }

/** Found by the index of the search, then compared in full: `da@example.com` is not `ada@example.com`. */
function belongingTo(resource: Resource, seller: string, email: string): SQL {
  const { table } = resource
  return and(
    narrowed(table, seller, {}),
    sql`${table.id} in (select id from (${matchesByTrigrams(searchFor(resource, seller, { limit: 1, search: email }))}) as match)`,
    sql`desk_fold(${table.record} ->> 'customerEmail') = desk_fold(${email}::text)`,
  ) as SQL
}

/** What came in for an order, from its own word where it has one. */
const PAID = sql`
  case when status in ('paid', 'partial_refund') then coalesce((record ->> 'amountPaid')::numeric, amount)
       when status = 'partially_paid' then coalesce((record ->> 'amountPaid')::numeric, 0) end`

type Sum = { currency: string; count: number; active: number; paid: number | null }

async function readList({ rows }: Connection, name: CustomerList, seller: string, email: string): Promise<CustomerRecords> {
  const { table } = resources[name]
  const mine = belongingTo(resources[name], seller, email)
  const paid = name === 'subscriptions' ? sql`null::numeric` : PAID
  const [sums, latest] = await Promise.all([
    rows<Sum>(sql`
      select upper(coalesce(currency, '')) as currency, count(*)::int as count,
        count(*) filter (where status in ('active', 'trialing', 'past_due'))::int as active,
        (sum(${paid}) filter (where livemode is distinct from false))::float8 as paid
      from ${table} where ${mine} group by 1 order by 2 desc, 1`),
    rows<{ record: string }>(sql`
      select ${table.record}::text as record from ${table} where ${mine}
      order by ${table.createdAt} desc, ${table.id} desc limit ${LATEST}`),
  ])
  return {
    count: sums.reduce((total, { count }) => total + count, 0),
    active: sums.reduce((total, { active }) => total + active, 0),
    paid: sums.flatMap(({ currency, paid: amount }) => (amount === null ? [] : [{ currency, amount }])),
    latest: latest.map(({ record }) => record),
  }
}

/** An order carries its coupon, a subscription the coupon's id alone; the coupon itself says what it is called now, while it exists. */
async function readCoupons({ rows }: Connection, seller: string, email: string): Promise<UsedCoupon[]> {
  const coupons = resources.coupons.table
  const of = (name: CustomerList, id: SQL, code: SQL, label: SQL) => sql`
    select ${id} as id, ${code} as code, ${label} as label from ${resources[name].table} where ${belongingTo(resources[name], seller, email)}`
  const applied = (name: CustomerList) =>
    of(name, sql`record -> 'coupon' ->> 'id'`, sql`record -> 'coupon' ->> 'code'`, sql`record -> 'coupon' ->> 'label'`)
  const used = await rows<{ id: string | null; code: string; label: string | null; orders: number }>(sql`
    select coupon.id as id, coalesce(coupon.record ->> 'code', used.code, used.id) as code, coalesce(coupon.record ->> 'label', used.label) as label,
      sum(used.orders)::int as orders
    from (
      select id, code, max(label) as label, count(*) as orders from (
        ${applied('payments')} union all ${applied('bookings')}
        union all ${of('subscriptions', sql`record ->> 'couponId'`, sql`null`, sql`null`)}) as one
      where coalesce(id, code) is not null group by id, code) as used
    left join ${coupons} as coupon on coupon.seller_id = ${seller} and coupon.id = lower(used.id)
    group by 1, 2, 3 order by orders desc, code`)
  return used.map(({ id, code, label, orders }) => ({
    orders,
    code,
    ...(id === null ? {} : { id }),
    ...(label === null ? {} : { label }),
  }))
}

/**
 * @param email compared whole, in lower case
 * @returns empty lists where nobody has this address
 */
export async function findCustomer(seller: string, email: string): Promise<Customer> {
  const pool = await pickReadPool(Object.values(resources), seller)
  return pool.use(async (connection) => {
    const [payments, bookings, subscriptions, coupons] = await Promise.all([
      readList(connection, 'payments', seller, email),
      readList(connection, 'bookings', seller, email),
      readList(connection, 'subscriptions', seller, email),
      readCoupons(connection, seller, email),
    ])
    return { lists: { payments, bookings, subscriptions }, coupons }
  })
}
