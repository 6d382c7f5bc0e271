/** The tables of the four listed resources: one stored record each, every other column derived from it by PostgreSQL. */
import { type ExtraConfigColumn, index, pgTable, primaryKey } from 'drizzle-orm/pg-core'
import { orderColumns, recordColumns, secretsColumn, soldColumns } from './columns'

type Listed = { sellerId: ExtraConfigColumn; createdAt: ExtraConfigColumn; id: ExtraConfigColumn; search: ExtraConfigColumn }
type Filtered = Listed & { status: ExtraConfigColumn; pageId: ExtraConfigColumn }

/** Ascending on purpose: they are read backward, and drizzle-kit's descending form is one the planner does not use. */
const listIndexes = (name: string, t: Listed) => [
  primaryKey({ columns: [t.sellerId, t.id] }),
  index(`${name}_order`).on(t.sellerId, t.createdAt, t.id),
  index(`${name}_search`).using('gin', t.sellerId, t.search.op('gin_trgm_ops')),
]

/** `_status` also carries what the overview adds up (migrations/0009_overview.sql; drizzle can't say INCLUDE). */
const filteredIndexes = (name: string, t: Filtered) => [
  ...listIndexes(name, t),
  index(`${name}_status`).on(t.sellerId, t.status, t.createdAt, t.id),
  index(`${name}_page`).on(t.sellerId, t.pageId, t.createdAt, t.id),
]

export const payments = pgTable('payments', soldColumns(), (t) => filteredIndexes('payments', t))
export const bookings = pgTable('bookings', soldColumns(), (t) => filteredIndexes('bookings', t))
export const subscriptions = pgTable('subscriptions', orderColumns(), (t) => filteredIndexes('subscriptions', t))
export const coupons = pgTable('coupons', { ...recordColumns(), secrets: secretsColumn() }, (t) => listIndexes('coupons', t))
