/** The tables of the four listed resources, one stored record each, every other column derived from it by PostgreSQL; and their counts. */
import { sql } from 'drizzle-orm'
import { bigint, type ExtraConfigColumn, index, pgSequence, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { listedColumns, orderColumns, soldColumns } from './columns'

type Listed = {
  sellerId: ExtraConfigColumn
  createdAt: ExtraConfigColumn
  id: ExtraConfigColumn
  search: ExtraConfigColumn
  searchLong: ExtraConfigColumn
  gatewayId: ExtraConfigColumn
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
  index(`${name}_gateway`).on(t.sellerId, t.gatewayId).where(sql`${t.gatewayId} is not null`),
]

/** `_status` also carries what the overview adds up. */
const filteredIndexes = (name: string, t: Filtered) => [
  ...listIndexes(name, t),
  index(`${name}_status`).on(t.sellerId, t.status, t.createdAt, t.id),
  index(`${name}_page`).on(t.sellerId, t.pageId, t.createdAt, t.id),
  index(`${name}_page_status`).on(t.sellerId, t.pageId, t.status, t.createdAt, t.id),
]

export const payments = pgTable('payments', soldColumns(), (t) => filteredIndexes('payments', t))
export const bookings = pgTable('bookings', soldColumns(), (t) => filteredIndexes('bookings', t))
export const subscriptions = pgTable('subscriptions', orderColumns(), (t) => filteredIndexes('subscriptions', t))
export const coupons = pgTable('coupons', listedColumns(), (t) => listIndexes('coupons', t))

/** Numbers the slots of `recordCounts`. */
export const recordCountSlots = pgSequence('record_count_slots')

/**
 * Kept by triggers (migrations/0015_count_slots.sql). '' is any page, any status. Each writer adds to a slot of its own, and the sum
 * over all slots counts.
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
    /** One more with each statement that touched a record. */
    changes: bigint('changes', { mode: 'bigint' }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.sellerId, t.resource, t.pageId, t.status, t.slot] })],
)
