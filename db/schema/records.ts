/** The tables of the listed resources and their counts. Each row stores one record; a trigger derives most of the other columns. */
import { sql } from 'drizzle-orm'
import { bigint, type ExtraConfigColumn, index, numeric, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { idDigest, listedColumns, namesColumn, oneTimeOrderColumns, orderColumns } from './columns'

type ListedColumns = {
  sellerId: ExtraConfigColumn
  createdAt: ExtraConfigColumn
  id: ExtraConfigColumn
  gatewayId: ExtraConfigColumn
}
type FilteredColumns = ListedColumns & { status: ExtraConfigColumn; pageId: ExtraConfigColumn }

/**
 * Returns the indexes of a listed resource. They are ascending and read backward, because drizzle-kit's descending indexes are NULLS LAST,
 * which the planner would not use. The search texts are also stored in a compact table per resource, such as `payments_texts`, which
 * `desk_attach_record_triggers` creates.
 */
const listIndexes = (name: string, t: ListedColumns) => [
  primaryKey({ columns: [t.sellerId, t.id] }),
  index(`${name}_order`).on(t.sellerId, t.createdAt, t.id),
  // This index is not partial, because PostgreSQL has no statistics for expressions in partial indexes.
  index(`${name}_gateway`).on(idDigest(t.sellerId, t.gatewayId)),
]

/**
 * Adds indexes on the status and checkout page to `listIndexes`. In the migrations, `_status` of one-time orders also INCLUDEs the columns
 * that the overview sums.
 */
const filteredIndexes = (name: string, t: FilteredColumns) => [
  ...listIndexes(name, t),
  index(`${name}_status`).on(t.sellerId, t.status, t.createdAt, t.id),
  index(`${name}_page`).on(t.sellerId, t.pageId, t.createdAt, t.id),
  index(`${name}_page_status`).on(t.sellerId, t.pageId, t.status, t.createdAt, t.id),
]

/**
 * Adds indexes on the customer and coupon to `filteredIndexes`. In the migrations, `_coupon` of one-time orders also INCLUDEs the amounts
 * and the status.
 */
const orderIndexes = (name: string, t: FilteredColumns & { customerDigest: ExtraConfigColumn; couponDigest: ExtraConfigColumn }) => [
  ...filteredIndexes(name, t),
  index(`${name}_customer`).on(t.customerDigest).where(sql`${t.customerDigest} is not null`),
  index(`${name}_coupon`).on(t.sellerId, t.couponDigest, t.createdAt, t.id).where(sql`${t.couponDigest} is not null`),
]

type OneTimeOrderColumns = Parameters<typeof orderIndexes>[1] & { failure: ExtraConfigColumn; livemode: ExtraConfigColumn }

/** Adds an index on the reasons for failed payments to `orderIndexes`, so that counting them reads no records. */
const oneTimeOrderIndexes = (name: string, t: OneTimeOrderColumns) => [
  ...orderIndexes(name, t),
  index(`${name}_failed`).on(t.sellerId, t.createdAt, t.failure, t.livemode).where(sql`${t.failure} is not null`),
]

export const payments = pgTable('payments', oneTimeOrderColumns(), (t) => oneTimeOrderIndexes('payments', t))
export const bookings = pgTable('bookings', oneTimeOrderColumns(), (t) => [
  ...oneTimeOrderIndexes('bookings', t),
  // Used to find the booking of a ticket without a booking ID.
  index('bookings_order_id').on(idDigest(t.sellerId, sql`${t.record} ->> 'orderId'`)),
])
export const subscriptions = pgTable('subscriptions', orderColumns(), (t) => orderIndexes('subscriptions', t))
export const coupons = pgTable(
  'coupons',
  {
    ...listedColumns(),
    /** The number of times the coupon has been redeemed. */
    uses: numeric('uses'),
    /** The members that were set manually. Stripe events do not change them. */
    edited: text('edited').array().notNull().default([]),
  },
  // Index a digest, because an imported code can be longer than an index entry.
  (t) => [...listIndexes('coupons', t), index('coupons_code').on(t.sellerId, sql`md5(desk_fold(${t.record} ->> 'code'))`)],
)
export const customers = pgTable(
  'customers',
  {
    ...listedColumns(),
    names: namesColumn(),
    /** The members that were changed manually. Stripe events do not change them. */
    edited: text('edited').array().notNull().default([]),
  },
  (t) => listIndexes('customers', t),
)

/**
 * Totals by checkout page and status, maintained by triggers. An empty string means any checkout page or status. Concurrent transactions
 * update different slots (`desk_slot` in the migrations), so that writers never wait for each other; a total is the sum over all slots.
 */
export const recordCounts = pgTable(
  'record_counts',
  {
    sellerId: text('seller_id').notNull(),
    resource: text('resource').notNull(),
    pageId: text('page_id').notNull(),
    status: text('status').notNull(),
    slot: bigint('slot', { mode: 'bigint' }).notNull(),
    total: bigint('total', { mode: 'bigint' }).notNull(),
    /** Increases with each statement that changes a record. */
    changes: bigint('changes', { mode: 'bigint' }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.sellerId, t.resource, t.pageId, t.status, t.slot] })],
)
