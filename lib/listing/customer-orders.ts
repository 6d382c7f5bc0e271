/** Finds a customer's orders and subscriptions, and the coupons used in them. */
import { type SQL, sql } from 'drizzle-orm'
import { type Connection, database } from '@/db/client'
import { tickets } from '@/db/schema'
import { type ResourceName, resources } from '../catalog'
import { bookingIdOf } from '../catalog/booking-id'
import { OBJECT_ID } from '../core/object-id-pattern'
import { textArray } from '../core/sql'
import { keyset } from './keyset'
import { filterConditions, toListQuery } from './list-query'
import { pickPool } from './record-counts'
import { matchesByTrigrams } from './search-matches'

/** The resources whose records refer to a customer. */
export const CUSTOMER_RESOURCES = ['payments', 'bookings', 'subscriptions'] as const satisfies readonly ResourceName[]
export type CustomerResource = (typeof CUSTOMER_RESOURCES)[number]

/** The maximum number of records returned per resource. */
const MAX_LATEST = 5

type PaidTotal = {
  /** In uppercase; empty for orders without a currency. */
  currency: string
  /** In minor units. */
  amount: number
}

export type UsedCoupon = {
  /** The ID of the coupon. Absent if the coupon no longer exists. */
  id?: string
  /** The coupon's current code. If the coupon no longer exists: the code in an order or, if there is none, the coupon's ID. */
  code: string
  label?: string
  /** The number of orders and subscriptions that used the coupon. */
  uses: number
}

/** A customer's records of one resource. */
export type CustomerRecords = {
  count: number
  /** The number of subscriptions that are active or in a trial, including test records. 0 for orders. */
  active: number
  /**
   * The total paid in each currency, excluding fully refunded orders and test orders. Partial refunds are not deducted. Empty for
   * subscriptions, whose amount is per period.
   */
  paid: PaidTotal[]
  /** The newest records (at most `MAX_LATEST`) as JSON strings, newest first. */
  latest: string[]
  /** The email address, in lowercase, that all the records share, so a search for it finds all of them. Absent if there is none. */
  email?: string
}

export type CustomerOrders = { lists: Record<CustomerResource, CustomerRecords>; coupons: UsedCoupon[] }

/** The lowercase ID and the email address that a customer's records are looked up by. If either is empty, it matches no record. */
export type CustomerKey = { id: string; email: string }

/**
 * Selects the IDs of records with the given email address in `member`, which must be searchable. The search index finds candidates,
 * and their whole addresses are then compared, so that `da@example.com` does not match `ada@example.com`.
 */
export function idsByEmail(name: CustomerResource | 'customers', sellerId: string, email: string, member: 'email' | 'customerEmail'): SQL {
  const { table } = resources[name]
  const query = { ...toListQuery(resources[name], sellerId, { limit: 1 }), search: email }
  return sql`
    select ${table.id} from ${table} where ${filterConditions(query)} and ${table.id} in (select encode(id, 'hex') from (${matchesByTrigrams(query)}) as match)
      and desk_fold(${table.record} ->> ${member}::text) = desk_fold(${email}::text)`
}

/** Selects the IDs of a customer's records: those with the customer's ID or email address. */
export function customerRecordIds(name: CustomerResource, sellerId: string, { id, email }: CustomerKey): SQL {
  const { table } = resources[name]
  const byId = sql`
    select id from ${table} where ${table.customerDigest} = hashtextextended(${id}::text, 0)
      and desk_lower(${table.record} ->> 'customerId') = ${id} and ${table.sellerId} = ${sellerId}`
  const selects = [...(id === '' ? [] : [byId]), ...(email === '' ? [] : [idsByEmail(name, sellerId, email, 'customerEmail')])]
  return selects.length === 0 ? sql`select null::text where false` : sql.join(selects, sql` union `)
}

const belongsTo = (name: CustomerResource, sellerId: string, customer: CustomerKey): SQL => {
  const { table } = resources[name]
  return sql`${table.sellerId} = ${sellerId} and ${table.id} in (${customerRecordIds(name, sellerId, customer)})`
}

/**
 * The amount paid for an order, in minor units: its `amountPaid` if present, otherwise the `amount` of a paid order, or 0 for a partially
 * paid one. Null if the order was not paid or was fully refunded.
 */
const PAID = sql`
  case when status in ('paid', 'partial_refund') then coalesce((record ->> 'amountPaid')::numeric, amount)
       when status = 'partially_paid' then coalesce((record ->> 'amountPaid')::numeric, 0) end`

const EMAIL = sql`desk_fold(coalesce(record ->> 'customerEmail', ''))`

type CurrencyTotals = { currency: string; count: number; active: number; paid: number | null; firstEmail: string; lastEmail: string }

async function readRecords(
  { rows }: Connection,
  name: CustomerResource,
  sellerId: string,
  customer: CustomerKey,
): Promise<CustomerRecords> {
  const { table } = resources[name]
  const condition = belongsTo(name, sellerId, customer)
  const paid = name === 'subscriptions' ? sql`null::numeric` : PAID
  const [totals, latest] = await Promise.all([
    rows<CurrencyTotals>(sql`
      select desk_upper(coalesce(currency, '')) as currency, count(*)::int as count,
        count(*) filter (where status in ('active', 'trialing'))::int as active,
        (sum(${paid}) filter (where livemode is distinct from false))::float8 as paid,
        min(${EMAIL}) as "firstEmail", max(${EMAIL}) as "lastEmail"
      from ${table} where ${condition} group by 1 order by 2 desc, 1`),
    rows<{ record: string }>(sql`
      select ${table.record}::text as record
      ${keyset({ from: table, order: [table.createdAt, table.id], where: condition, direction: 'older', limit: MAX_LATEST })}`),
  ])
  const [email, ...otherEmails] = new Set(totals.flatMap(({ firstEmail, lastEmail }) => [firstEmail, lastEmail]))
  return {
    count: totals.reduce((sum, { count }) => sum + count, 0),
    active: totals.reduce((sum, { active }) => sum + active, 0),
    paid: totals.flatMap(({ currency, paid: amount }) => (amount === null ? [] : [{ currency, amount }])),
    latest: latest.map(({ record }) => record),
    ...(email && otherEmails.length === 0 ? { email } : {}),
  }
}

/**
 * Reads the coupons of a customer's orders and subscriptions. An order contains a copy of its coupon, or only the coupon's code, in any
 * letter case; a subscription contains the coupon's ID. If the coupon still exists, its current code and label are returned.
 */
async function readCoupons({ rows }: Connection, sellerId: string, customer: CustomerKey): Promise<UsedCoupon[]> {
  const coupons = resources.coupons.table
  const selectCoupons = (name: CustomerResource, id: SQL, code: SQL, label: SQL) => sql`
    select ${id} as id, ${code} as code, ${label} as label from ${resources[name].table} where ${belongsTo(name, sellerId, customer)}`
  const selectCopies = (name: CustomerResource) =>
    selectCoupons(name, sql`record -> 'coupon' ->> 'id'`, sql`record -> 'coupon' ->> 'code'`, sql`record -> 'coupon' ->> 'label'`)
  const used = await rows<{ id: string | null; code: string; label: string | null; uses: number }>(sql`
    select max(coupon.id) as id, max(coalesce(coupon.record ->> 'code', used.code, used.id)) as code,
      max(coalesce(coupon.record ->> 'label', used.label)) as label, sum(used.uses)::int as uses
    from (
      select id, code, max(label) as label, count(*) as uses from (
        ${selectCopies('payments')} union all ${selectCopies('bookings')}
        union all ${selectCoupons('subscriptions', sql`record ->> 'couponId'`, sql`null`, sql`null`)}) as reference
      where coalesce(id, code) is not null group by id, code) as used
    left join lateral (
      select id, record from ${coupons} where seller_id = ${sellerId} and id = desk_lower(used.id)
      union all (
        select id, record from ${coupons} where used.id is null and seller_id = ${sellerId} and md5(desk_fold(record ->> 'code')) = md5(desk_fold(used.code))
        order by record ->> 'deleted' = 'true' nulls first, created_at desc, id desc limit 1)
    ) as coupon on true
    group by coalesce(coupon.id, 'code ' || desk_fold(used.code), used.id) order by uses desc, code`)
  return used.map(({ id, code, label, uses }) => ({
    uses,
    code,
    ...(id === null ? {} : { id }),
    ...(label === null ? {} : { label }),
  }))
}

/** Returns the `ids` that belong to the seller's customers, in lowercase. Orders may refer to customers that do not exist. */
export async function findCustomerIds(sellerId: string, ids: readonly unknown[]): Promise<Set<string>> {
  const { table } = resources.customers
  const wanted = [...new Set(ids.flatMap((id) => (typeof id === 'string' && OBJECT_ID.test(id) ? id.toLowerCase() : [])))]
  if (wanted.length === 0) return new Set()
  const found = await database().query<{ id: string }>(
    sql`select ${table.id} as id from ${table} where ${table.sellerId} = ${sellerId} and ${table.id} = any(${textArray(wanted)})`,
  )
  return new Set(found.map(({ id }) => id))
}

/** Returns customer IDs by ticket ID, for tickets whose guest has the same email address as the booking's customer. */
export async function findGuestCustomerIds(sellerId: string, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const found = await database().query<{ ticketId: string; customerId: string }>(sql`
    select ticket.id as "ticketId", customer.id as "customerId" from ${tickets} as ticket
    join ${resources.bookings.table} as booking on booking.seller_id = ${sellerId} and booking.id = ${bookingIdOf(sql`ticket`)}
    join ${resources.customers.table} as customer
      on customer.seller_id = ${sellerId} and customer.id = desk_lower(booking.record ->> 'customerId')
    where ticket.seller_id = ${sellerId} and ticket.id = any(${textArray(ids)})
      and desk_fold(ticket.record ->> 'customerEmail') = desk_fold(booking.record ->> 'customerEmail')`)
  return new Map(found.map(({ ticketId, customerId }) => [ticketId, customerId]))
}

/** Returns a customer's records per resource, and the coupons used in them. Compares the email address case-insensitively. */
export async function findCustomerOrders(sellerId: string, customer: CustomerKey): Promise<CustomerOrders> {
  const pool = await pickPool(Object.values(resources), sellerId)
  return pool.use(async (connection) => {
    const [payments, bookings, subscriptions, coupons] = await Promise.all([
      readRecords(connection, 'payments', sellerId, customer),
      readRecords(connection, 'bookings', sellerId, customer),
      readRecords(connection, 'subscriptions', sellerId, customer),
      readCoupons(connection, sellerId, customer),
    ])
    return { lists: { payments, bookings, subscriptions }, coupons }
  })
}
