/** The tables of the listed resources, and their counts. Each row stores one record; a trigger derives the other columns. */
import { sql } from 'drizzle-orm'
import { bigint, type ExtraConfigColumn, index, pgSequence, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { listedColumns, orderColumns, soldColumns } from './columns'

type ListedColumns = {
  sellerId: ExtraConfigColumn
  createdAt: ExtraConfigColumn
  id: ExtraConfigColumn
  search: ExtraConfigColumn
  searchLong: ExtraConfigColumn
  gatewayId: ExtraConfigColumn
}
type FilteredColumns = ListedColumns & { status: ExtraConfigColumn; pageId: ExtraConfigColumn }

/**
 * Ascending, and read backward: drizzle-kit's descending indexes are NULLS LAST, which the planner does not use.
 * In the migrations the list indexes also INCLUDE `search`, which drizzle cannot express, so that a search does not read the rows.
 */
const listIndexes = (name: string, t: ListedColumns) => [
  primaryKey({ columns: [t.sellerId, t.id] }),
  index(`${name}_order`).on(t.sellerId, t.createdAt, t.id),
  index(`${name}_search`).using('gin', t.search.op('gin_trgm_ops')),
  index(`${name}_search_long`).on(t.sellerId, t.id).where(sql`${t.searchLong} is not null`),
  index(`${name}_gateway`).on(t.sellerId, t.gatewayId).where(sql`${t.gatewayId} is not null`),
]

/** In the migrations, `_status` also INCLUDEs the columns that the overview sums up. */
const filteredIndexes = (name: string, t: FilteredColumns) => [
  ...listIndexes(name, t),
  index(`${name}_status`).on(t.sellerId, t.status, t.createdAt, t.id),
  index(`${name}_page`).on(t.sellerId, t.pageId, t.createdAt, t.id),
  index(`${name}_page_status`).on(t.sellerId, t.pageId, t.status, t.createdAt, t.id),
]

export const payments = pgTable('payments', soldColumns(), (t) => filteredIndexes('payments', t))
export const bookings = pgTable('bookings', soldColumns(), (t) => filteredIndexes('bookings', t))
export const subscriptions = pgTable('subscriptions', orderColumns(), (t) => [
  ...filteredIndexes('subscriptions', t),
  // For the overview: subscriptions that ended since a given day. All timestamps have the same format, so they sort as text.
  index('subscriptions_ended').on(t.sellerId, sql`(${t.record} ->> 'canceledAt')`, t.createdAt).where(sql`status = 'canceled'`),
])
export const coupons = pgTable('coupons', listedColumns(), (t) => listIndexes('coupons', t))

/** Generates the slot numbers of `recordCounts`. */
export const recordCountSlots = pgSequence('record_count_slots')

/**
 * Totals by page and status, maintained by triggers. An empty string means any page or any status. Each writer adds to a slot that no
 * other transaction is using; a total is the sum over all slots.
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
