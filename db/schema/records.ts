/** The tables of the four listed resources, one stored record each, every other column derived from it by PostgreSQL; and their counts. */
import { sql } from 'drizzle-orm'
import { bigint, type ExtraConfigColumn, index, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { listedColumns, orderColumns, soldColumns } from './columns'

type Listed = {
  sellerId: ExtraConfigColumn
  createdAt: ExtraConfigColumn
  id: ExtraConfigColumn
  search: ExtraConfigColumn
  searchLong: ExtraConfigColumn
}
type Filtered = Listed & { status: ExtraConfigColumn; pageId: ExtraConfigColumn }

/**
 * Ascending on purpose: they are read backward, and drizzle-kit's descending form is one the planner does not use.
 * Each order also carries `search` (INCLUDE, in migrations/0009_search.sql: drizzle has no word for it), so that a search reads it alone.
 */
const listIndexes = (name: string, t: Listed) => [
  primaryKey({ columns: [t.sellerId, t.id] }),
  index(`${name}_order`).on(t.sellerId, t.createdAt, t.id),
  index(`${name}_search`).using('gin', t.search.op('gin_trgm_ops')),
  index(`${name}_search_long`).on(t.sellerId, t.id).where(sql`${t.searchLong} is not null`),
]

/** `_status` also carries what the overview adds up. */
const filteredIndexes = (name: string, t: Filtered) => [
  ...listIndexes(name, t),
  index(`${name}_status`).on(t.sellerId, t.status, t.createdAt, t.id),
  index(`${name}_page`).on(t.sellerId, t.pageId, t.createdAt, t.id),
  index(`${name}_page_status`).on(t.sellerId, t.pageId, t.status, t.createdAt, t.id),
]

/** Finds a record by the gateway's id of it. By digest: such an id may be longer than an index takes. */
const gatewayIndex = (name: string, t: { sellerId: ExtraConfigColumn; record: ExtraConfigColumn }, member: string) =>
  index(`${name}_gateway`).on(t.sellerId, sql`md5(${t.record} ->> '${sql.raw(member)}')`)

export const payments = pgTable('payments', soldColumns(), (t) => [
  ...filteredIndexes('payments', t),
  gatewayIndex('payments', t, 'gatewayPaymentIntentId'),
])
export const bookings = pgTable('bookings', soldColumns(), (t) => [
  ...filteredIndexes('bookings', t),
  gatewayIndex('bookings', t, 'gatewayPaymentIntentId'),
])
export const subscriptions = pgTable('subscriptions', orderColumns(), (t) => [
  ...filteredIndexes('subscriptions', t),
  gatewayIndex('subscriptions', t, 'gatewaySubscriptionId'),
])
export const coupons = pgTable('coupons', listedColumns(), (t) => [
  ...listIndexes('coupons', t),
  gatewayIndex('coupons', t, 'gatewayCouponId'),
])

/** Kept by triggers (migrations/0008_counts.sql). '' is any page, any status; a key may have several rows, and their sum counts. */
export const recordCounts = pgTable(
  'record_counts',
  {
    sellerId: text('seller_id').notNull(),
    id: bigint('id', { mode: 'bigint' }).generatedAlwaysAsIdentity(),
    resource: text('resource').notNull(),
    pageId: text('page_id').notNull(),
    status: text('status').notNull(),
    total: bigint('total', { mode: 'bigint' }).notNull(),
    /** One more with each statement that touched a record. */
    changes: bigint('changes', { mode: 'bigint' }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.sellerId, t.id] }), index('record_counts_key').on(t.sellerId, t.resource, t.pageId, t.status)],
)
