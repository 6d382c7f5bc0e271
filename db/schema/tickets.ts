/** Tickets: their facts are a record; what changes at the door has columns and tables of its own. */
import { sql } from 'drizzle-orm'
import { bigint, boolean, date, foreignKey, index, integer, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { derived, recordColumns } from './columns'
import { sellers } from './tenants'
import { bytes, instant, jsonText } from './types'

export const tickets = pgTable(
  'tickets',
  {
    ...recordColumns(),
    status: derived('status'),
    pageId: derived('page_id'),
    orderId: derived('order_id'),
    /** What the QR code says, exactly. Whoever has it gets in, so it is no part of the record. */
    qrCode: text('qr_code').notNull(),
    metadata: jsonText('metadata').notNull().default('[]'),
    checkInStatus: text('check_in_status', { enum: ['UNCHECKEDIN', 'CHECKEDIN'] })
      .notNull()
      .default('UNCHECKEDIN'),
    /** How many entries `check_ins` has for this ticket. */
    checkInCount: integer('check_in_count').notNull().default(0),
    /** When the door last changed something. */
    doorAt: instant('door_at'),
    /** Since when its booking is refunded or canceled, and the ticket with it, whatever its record says; null otherwise. */
    revokedAt: instant('revoked_at'),
    /** Made here for a booking that came without tickets. */
    made: boolean('made').notNull().default(false),
  },
  (t) => [
    primaryKey({ columns: [t.sellerId, t.id] }),
    uniqueIndex('tickets_qr_code').on(t.sellerId, t.qrCode),
    // By digest, the order's id and the booking's that a ticket names: either may be longer than an index takes.
    index('tickets_order').on(t.sellerId, sql`md5(${t.orderId})`),
    index('tickets_charge').on(t.sellerId, sql`md5(${t.record} ->> 'chargeId')`),
    index('tickets_page').on(t.sellerId, t.pageId, t.createdAt, t.id),
    index('tickets_search').using('gin', t.sellerId, t.search.op('gin_trgm_ops')),
  ],
)

/** A ticket's history, appended to and never rewritten; `standing` alone moves. */
export const checkIns = pgTable(
  'check_ins',
  {
    sellerId: text('seller_id').notNull(),
    ticketId: text('ticket_id').notNull(),
    /** 1 for a ticket's first entry. */
    sequence: integer('sequence').notNull(),
    method: text('method', { enum: ['QRSCAN', 'MANUAL'] }).notNull(),
    status: text('status', { enum: ['UNCHECKEDIN', 'CHECKEDIN'] }).notNull(),
    /** The day in the seller's time zone, as it is served. */
    day: date('day').notNull(),
    /** The instant, where it is known: an imported entry may have only its day. */
    at: instant('at'),
    /** The user's or the API key's id. */
    actorId: text('actor_id'),
    /** Why a guest was sent out again; the door's own, no part of what is served. */
    reason: text('reason'),
    /** True for the entry that let the guest in and still holds. */
    standing: boolean('standing').notNull().default(false),
  },
  (t) => [
    primaryKey({ columns: [t.sellerId, t.ticketId, t.sequence] }),
    foreignKey({ columns: [t.sellerId, t.ticketId], foreignColumns: [tickets.sellerId, tickets.id] }),
    uniqueIndex('check_ins_standing').on(t.sellerId, t.ticketId).where(sql`standing`),
  ],
)

/** Every validation that was tried, refused ones too. */
export const validationAttempts = pgTable(
  'validation_attempts',
  {
    sellerId: text('seller_id')
      .notNull()
      .references(() => sellers.id),
    id: bigint('id', { mode: 'number' }).notNull().generatedAlwaysAsIdentity(),
    at: instant('at').notNull(),
    /** Absent where no ticket has the code. */
    ticketId: text('ticket_id'),
    outcome: text('outcome', {
      enum: ['admitted', 'looked', 'already_checked_in', 'canceled', 'other_event', 'unknown', 'idempotency_mismatch'],
    }).notNull(),
    actorId: text('actor_id').notNull(),
    device: text('device'),
  },
  (t) => [
    primaryKey({ columns: [t.sellerId, t.id] }),
    index('validation_attempts_order').on(t.sellerId, t.at),
    index('validation_attempts_ticket').on(t.sellerId, t.ticketId, t.at),
  ],
)

/** The first answer to each idempotency key, as it was sent. */
export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    sellerId: text('seller_id')
      .notNull()
      .references(() => sellers.id),
    key: text('key').notNull(),
    /** SHA-256 of the code and the body that the key first came with. */
    fingerprint: bytes('fingerprint').notNull(),
    status: integer('status').notNull(),
    answer: text('answer').notNull(),
    createdAt: instant('created_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.sellerId, t.key] }), index('idempotency_keys_age').on(t.createdAt)],
)
