/** The sums that the overview reads, maintained by triggers (`desk_attach_rollup_triggers`). */
import { bigint, numeric, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { instant } from './types'

/**
 * Sums of orders per time bucket, without test orders. A bucket is 15 minutes or a day in UTC, because the days of every time zone consist
 * of whole buckets of 15 minutes. Like `recordCounts`, each writer adds to a slot that no other transaction is using.
 */
export const rollups = pgTable(
  'rollups',
  {
    sellerId: text('seller_id').notNull(),
    resource: text('resource', { enum: ['payments', 'bookings', 'subscriptions'] }).notNull(),
    /** What is summed up: all orders of 15 minutes, or the orders of each checkout page of a day. */
    level: text('level', { enum: ['quarter', 'day'] }).notNull(),
    /** The start of the bucket. */
    bucket: instant('bucket').notNull(),
    /** In uppercase; empty for orders without a currency. */
    currency: text('currency').notNull(),
    /** Empty at the level `quarter`, and for orders without a checkout page. */
    pageId: text('page_id').notNull(),
    slot: bigint('slot', { mode: 'bigint' }).notNull(),
    /** In minor units of the currency. Of subscriptions: the monthly recurring revenue that began in the bucket, minus what ended. */
    revenue: numeric('revenue').notNull(),
    /** The number of paid orders. Of subscriptions: how many became active in the bucket, minus how many ended. */
    orders: bigint('orders', { mode: 'bigint' }).notNull(),
    /** The number of refunded orders. Of subscriptions: how many ended. */
    refunds: bigint('refunds', { mode: 'bigint' }).notNull(),
  },
  (t) => [primaryKey({ name: 'rollups_pk', columns: [t.sellerId, t.level, t.resource, t.bucket, t.currency, t.pageId, t.slot] })],
)
