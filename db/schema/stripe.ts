/** What comes from a seller's own Stripe account: the secret that proves it, and every event that was taken in. */
import { sql } from 'drizzle-orm'
import { bigint, index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { sellers } from './tenants'
import { bytes, instant, jsonText } from './types'

/** Its row is also the lock under which a seller's events are worked off, one after the other. */
export const stripeAccounts = pgTable('stripe_accounts', {
  sellerId: text('seller_id')
    .primaryKey()
    .references(() => sellers.id),
  /** The endpoint's signing secret, sealed. */
  secret: bytes('secret').notNull(),
  changedAt: instant('changed_at').notNull().defaultNow(),
})

export const stripeEvents = pgTable(
  'stripe_events',
  {
    sellerId: text('seller_id')
      .notNull()
      .references(() => stripeAccounts.sellerId),
    /** Stripe's own, such as evt_1Q…: the same event is taken in once. */
    id: text('id').notNull(),
    type: text('type').notNull(),
    /** Stripe's seconds, when it happened there. */
    created: bigint('created', { mode: 'number' }).notNull(),
    /** Stripe's ids of what it is about: the object itself, its payment intent, its invoice, its subscription. */
    links: text('links').array().notNull(),
    /** As it was signed. It may hold a client secret: shown to nobody as it is. */
    payload: jsonText('payload').notNull(),
    state: text('state', { enum: ['waiting', 'done', 'failed'] })
      .notNull()
      .default('waiting'),
    /** Why it failed; never a value of the event. */
    error: text('error'),
    attempts: integer('attempts').notNull().default(0),
    receivedAt: instant('received_at').notNull().defaultNow(),
    workedAt: instant('worked_at'),
  },
  (t) => [
    primaryKey({ columns: [t.sellerId, t.id] }),
    index('stripe_events_links').using('gin', t.sellerId, t.links),
    index('stripe_events_order').on(t.sellerId, t.created, t.id),
    index('stripe_events_open').on(t.sellerId, t.state, t.created, t.id).where(sql`state <> 'done'`),
    index('stripe_events_age').on(t.created),
  ],
)
