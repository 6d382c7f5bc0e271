/** The sums for the overview, maintained by triggers (`desk_attach_rollup_triggers`). */
import { bigint, numeric, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { instant } from './types'

/**
 * Sums of orders and subscriptions per time bucket, excluding test records. Buckets start at multiples of their length since 2000-01-01
 * UTC. In every time zone, a day consists of whole 15-minute buckets. Sums over longer buckets are corrected with the orders at the edges
 * of the period. Slots work as in `record_counts`.
 */
export const rollups = pgTable(
  'rollups',
  {
    sellerId: text('seller_id').notNull(),
    resource: text('resource', { enum: ['payments', 'bookings', 'subscriptions'] }).notNull(),
    /** What a bucket covers: all orders in 3 hours, a checkout page's orders in 4 weeks, or subscriptions in 15 minutes or a day. */
    level: text('level', { enum: ['three_hours', 'page_4_weeks', 'quarter', 'day'] }).notNull(),
    /** The start of the bucket. */
    bucket: instant('bucket').notNull(),
    /** The currency in uppercase; empty for orders without one. */
    currency: text('currency').notNull(),
    /** Empty except at the level `page_4_weeks`, which excludes orders without a checkout page. */
    pageId: text('page_id').notNull(),
    slot: bigint('slot', { mode: 'bigint' }).notNull(),
    /** The revenue in minor units. For subscriptions: the monthly recurring revenue that started in the bucket minus that which ended. */
    revenue: numeric('revenue').notNull(),
    /** The number of paid orders. For subscriptions: the number that became active in the bucket minus the number that ended. */
    orders: bigint('orders', { mode: 'bigint' }).notNull(),
    /** The number of refunded orders. For subscriptions: the number that ended. */
    refunds: bigint('refunds', { mode: 'bigint' }).notNull(),
  },
  (t) => [primaryKey({ name: 'rollups_pk', columns: [t.sellerId, t.level, t.resource, t.bucket, t.currency, t.pageId, t.slot] })],
)
