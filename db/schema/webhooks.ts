/** Webhook endpoints and the delivery of events to them. */
import { sql } from 'drizzle-orm'
import { bigint, boolean, index, integer, pgTable, primaryKey, real, smallint, text } from 'drizzle-orm/pg-core'
import { sellers } from './tenants'
import { bytes, instant } from './types'

/** A URL that receives a seller's events. */
export const webhookEndpoints = pgTable(
  'webhook_endpoints',
  {
    sellerId: text('seller_id')
      .notNull()
      .references(() => sellers.id),
    id: text('id').notNull(),
    url: text('url').notNull(),
    description: text('description'),
    /** The types of events to deliver to the endpoint, or `*` for all. */
    events: text('events').array().notNull(),
    enabled: boolean('enabled').notNull().default(true),
    /** The signing secret, encrypted. */
    secret: bytes('secret').notNull(),
    /** The secret before the last rotation, which deliveries are also signed with until `oldSecretUntil`. */
    oldSecret: bytes('old_secret'),
    oldSecretUntil: instant('old_secret_until'),
    /** The first failed attempt since the last success, change of the URL or secret, or period of 30 hours without attempts. */
    failingSince: instant('failing_since'),
    /** Why the server disabled the endpoint. Null if it did not. */
    disabledReason: text('disabled_reason', { enum: ['failing', 'gone', 'secret_lost'] }),
    createdAt: instant('created_at').notNull().default(sql`date_trunc('milliseconds', now())`),
    updatedAt: instant('updated_at').notNull().defaultNow(),
  },
  (t) => [primaryKey({ columns: [t.sellerId, t.id] })],
)

/** The delivery of an event to an endpoint. The IDs are not foreign keys, because checking them for each event would slow down changes. */
export const webhookDeliveries = pgTable(
  'webhook_deliveries',
  {
    sellerId: text('seller_id').notNull(),
    endpointId: text('endpoint_id').notNull(),
    eventId: text('event_id').notNull(),
    state: text('state', { enum: ['pending', 'succeeded', 'failed'] })
      .notNull()
      .default('pending'),
    /** The number of attempts since the delivery was created or last resent. */
    attempts: integer('attempts').notNull().default(0),
    /** The time of the next attempt if the delivery is pending. */
    nextAt: instant('next_at').notNull().defaultNow(),
    createdAt: instant('created_at').notNull().default(sql`date_trunc('milliseconds', now())`),
  },
  (t) => [
    primaryKey({ columns: [t.sellerId, t.endpointId, t.eventId] }),
    index('webhook_deliveries_order').on(t.sellerId, t.endpointId, t.createdAt, t.eventId),
    index('webhook_deliveries_failed').on(t.sellerId, t.endpointId, t.createdAt, t.eventId).where(sql`state = 'failed'`),
    index('webhook_deliveries_due').on(t.sellerId, t.endpointId, t.nextAt).where(sql`state = 'pending'`),
  ],
)

/** An attempt to deliver an event. */
export const webhookAttempts = pgTable(
  'webhook_attempts',
  {
    sellerId: text('seller_id').notNull(),
    endpointId: text('endpoint_id').notNull(),
    eventId: text('event_id').notNull(),
    id: bigint('id', { mode: 'number' }).notNull().generatedAlwaysAsIdentity(),
    at: instant('at').notNull(),
    /** The HTTP status; null if there was no response. */
    status: smallint('status'),
    /** Why there was no response, such as `timeout`. */
    error: text('error'),
    /** The duration in milliseconds. */
    ms: real('ms').notNull(),
    /** The first KiB of the response body. */
    response: text('response'),
  },
  (t) => [primaryKey({ columns: [t.sellerId, t.endpointId, t.eventId, t.id] }), index('webhook_attempts_age').on(t.at)],
)
