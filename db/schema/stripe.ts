/** Sellers' Stripe accounts: webhook signing secrets and events received from Stripe. */
import { sql } from 'drizzle-orm'
import { bigint, boolean, index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { sellers } from './tenants'
import { bytes, instant, jsonText } from './types'

/** A seller's Stripe account. Locking its row serializes the processing of the seller's events. */
export const stripeAccounts = pgTable('stripe_accounts', {
  sellerId: text('seller_id')
    .primaryKey()
    .references(() => sellers.id),
  /** The endpoint's signing secret, encrypted. */
  secret: bytes('secret').notNull(),
})

export const stripeEvents = pgTable(
  'stripe_events',
  {
    sellerId: text('seller_id')
      .notNull()
      .references(() => stripeAccounts.sellerId),
    /** Stripe's event ID, such as evt_1Q…. It identifies repeated deliveries of the event. */
    id: text('id').notNull(),
    type: text('type').notNull(),
    /** When the event occurred, in Unix seconds. */
    created: bigint('created', { mode: 'number' }).notNull(),
    /** The Stripe IDs of the event's object and its payment intent, invoice and subscription. */
    links: text('links').array().notNull(),
    /** The signed payload. It can contain a client secret, so never show it unredacted. */
    payload: jsonText('payload').notNull(),
    state: text('state', { enum: ['waiting', 'done', 'failed'] })
      .notNull()
      .default('waiting'),
    /** Why processing failed. Never contains values from the event. */
    error: text('error'),
    attempts: integer('attempts').notNull().default(0),
    /** Whether the event has been processed and no record needs it anymore. It is deleted once it is old enough. */
    isObsolete: boolean('is_obsolete').notNull().default(false),
    receivedAt: instant('received_at').notNull().defaultNow(),
  },
  (t) => [
    primaryKey({ columns: [t.sellerId, t.id] }),
    index('stripe_events_links').using('gin', t.sellerId, t.links),
    index('stripe_events_order').on(t.sellerId, t.created, t.id),
    index('stripe_events_open').on(t.sellerId, t.state, t.created, t.id).where(sql`state <> 'done'`),
    index('stripe_events_obsolete').on(t.created).where(sql`is_obsolete`),
  ],
)
