/** Tickets. The ticket as sold is a record; the data that check-in changes is in separate columns and tables. */
import { sql } from 'drizzle-orm'
import { bigint, boolean, date, foreignKey, index, integer, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { derivedText, recordColumns } from './columns'
import { bytes, instant, jsonText } from './types'

export const tickets = pgTable(
  'tickets',
  {
    ...recordColumns(),
    status: derivedText('status'),
    pageId: derivedText('page_id'),
    orderId: derivedText('order_id'),
    livemode: boolean('livemode'),
    /** The searchable text for the guest search, in lowercase and without accents. */
    plain: derivedText('plain').notNull(),
    /** The exact content of the QR code. It is a bearer token, so it is not part of the record. */
    qrCode: text('qr_code').notNull(),
    metadata: jsonText('metadata').notNull().default('[]'),
    checkInStatus: text('check_in_status', { enum: ['UNCHECKEDIN', 'CHECKEDIN'] })
      .notNull()
      .default('UNCHECKEDIN'),
    /** The number of rows in `check_ins` for this ticket. */
    checkInCount: integer('check_in_count').notNull().default(0),
    /** The time of the last change at check-in: a check-in, check-out, undo or note. */
    doorAt: instant('door_at'),
    /** When the booking was refunded or canceled, which cancels the ticket regardless of its record. */
    revokedAt: instant('revoked_at'),
    /** When a paid booking last made the canceled ticket valid again; no earlier than the preceding cancellation. */
    reinstatedAt: instant('reinstated_at'),
    /** Whether the history contains a check-out by scan, so that the guest counts as having attended even while outside. */
    hasLeft: boolean('has_left').notNull().default(false),
    /** The number of people inside in addition to the checked-in guest, with copies of the ticket or under the policy `multiple`. */
    extraInside: integer('extra_inside').notNull().default(0),
    /** Whether the server generated the ticket, because its booking was imported or received without tickets. */
    isGenerated: boolean('made').notNull().default(false),
  },
  (t) => [
    primaryKey({ columns: [t.sellerId, t.id] }),
    uniqueIndex('tickets_qr_code').on(t.sellerId, t.qrCode),
    // Index digests, because order and booking IDs can be longer than an index entry.
    index('tickets_order').on(t.sellerId, sql`md5(${t.orderId})`),
    index('tickets_charge').on(t.sellerId, sql`md5(${t.record} ->> 'chargeId')`),
    index('tickets_list').on(t.sellerId, t.createdAt, t.id),
    index('tickets_status').on(t.sellerId, t.status, t.createdAt, t.id),
    index('tickets_type').on(t.sellerId, sql`md5(${t.record} ->> 'ticketTypeId')`, t.createdAt, t.id),
    index('tickets_page').on(t.sellerId, t.pageId, t.createdAt, t.id),
    // Used by the tickets table when sorted by guest.
    index('tickets_guest').on(t.sellerId, sql`desk_guest_key(${t.record}) COLLATE "C"`, t.createdAt, t.id),
    index('tickets_search').using('gin', t.sellerId, t.search.op('gin_trgm_ops')),
    // Used by the guest search. The event is indexed as an expression, because the planner would otherwise read all of its tickets with
    // `tickets_page`.
    index('tickets_plain').using('gin', t.sellerId, sql`(${t.pageId} || '')`, t.plain.op('gin_trgm_ops')),
    // Used for typed codes and short IDs. Index digests, because a code can be longer than an index entry.
    index('tickets_typed_code').on(t.sellerId, sql`md5(desk_typed(${t.qrCode}))`),
    index('tickets_typed_short_id').on(t.sellerId, sql`md5(desk_typed(${t.record} ->> 'ticketShortId'))`),
  ],
)

/**
 * A ticket's check-in history. Append-only, with three exceptions: `isCurrent` changes, late offline scans can rewrite the history, and
 * erasures redact `reason`.
 */
export const checkIns = pgTable(
  'check_ins',
  {
    sellerId: text('seller_id').notNull(),
    ticketId: text('ticket_id').notNull(),
    /** The position in the ticket's history, starting at 1. */
    sequence: integer('sequence').notNull(),
    method: text('method', { enum: ['QRSCAN', 'MANUAL'] }).notNull(),
    /** How the check-in page identified the ticket. Null if unknown. The API does not return it. */
    source: text('source', { enum: ['camera', 'scanner', 'typed', 'guest_list'] }),
    status: text('status', { enum: ['UNCHECKEDIN', 'CHECKEDIN'] }).notNull(),
    /** The day in the seller's time zone. The API returns it. */
    day: date('day').notNull(),
    /** The exact time, if known. An imported entry might have only a day. */
    at: instant('at'),
    /** The ID of the user, device or API key. */
    actorId: text('actor_id'),
    /** Why the check-in or check-out was undone, if this entry is an undo. The API does not return it. */
    reason: text('reason'),
    /** The scan in `offline_scans` from which this entry was created, if the scan reached the server later. */
    scanId: text('scan_id'),
    /** Whether this is the ticket's current check-in. */
    isCurrent: boolean('is_current').notNull().default(false),
  },
  (t) => [
    primaryKey({ columns: [t.sellerId, t.ticketId, t.sequence] }),
    foreignKey({ columns: [t.sellerId, t.ticketId], foreignColumns: [tickets.sellerId, tickets.id] }),
    uniqueIndex('check_ins_current').on(t.sellerId, t.ticketId).where(sql`is_current`),
    // Used to find the guests who were checked in on a given day.
    index('check_ins_day').on(t.sellerId, t.day).where(sql`status = 'CHECKEDIN'`),
  ],
)

/** All validation attempts. Those that neither admitted nor checked out a guest are deleted after 400 days. */
export const validationAttempts = pgTable(
  'validation_attempts',
  {
    /** Not a foreign key: with one, each scan would lock the seller's row, and concurrent scans would each write to that row. */
    sellerId: text('seller_id').notNull(),
    id: bigint('id', { mode: 'number' }).notNull().generatedAlwaysAsIdentity(),
    at: instant('at').notNull(),
    /** Null if no ticket has the code. */
    ticketId: text('ticket_id'),
    outcome: text('outcome', {
      enum: [
        'admitted',
        'checked_out',
        'previewed',
        'already_checked_in',
        'not_checked_in',
        'canceled',
        'other_event',
        'unknown',
        'idempotency_mismatch',
      ],
    }).notNull(),
    /** The ID of the user, device or API key. */
    actorId: text('actor_id').notNull(),
    /** The name of the check-in device, or the name given in the request. */
    device: text('device'),
    /** The event at the door, or the ticket's event if the door checks in all events. Null if neither is known. */
    pageId: text('page_id'),
    /** The first 255 characters of the ticket type's ID. */
    ticketTypeId: text('ticket_type_id'),
    /** Whether a device made the decision while offline. */
    isLate: boolean('is_late').notNull().default(false),
  },
  (t) => [
    primaryKey({ columns: [t.sellerId, t.id] }),
    index('validation_attempts_order').on(t.sellerId, t.at),
    index('validation_attempts_ticket').on(t.sellerId, t.ticketId, t.at),
    // Used to list and purge refused scans.
    index('validation_attempts_refused').on(t.sellerId, t.at, t.id).where(sql`outcome not in ('admitted', 'checked_out')`),
    index('validation_attempts_unknown').on(t.sellerId, t.actorId, t.at).where(sql`outcome = 'unknown'`),
  ],
)

/** The response to the first request with each idempotency key, kept for 30 days. */
export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    /** Not a foreign key, for the same reason as in `validationAttempts`. */
    sellerId: text('seller_id').notNull(),
    key: text('key').notNull(),
    /** SHA-256 of the first request: of its method, path and body or, at check-in, of the ticket's code or ID and the body. */
    fingerprint: bytes('fingerprint').notNull(),
    status: integer('status').notNull(),
    response: text('response').notNull(),
    createdAt: instant('created_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.sellerId, t.key] }), index('idempotency_keys_age').on(t.createdAt)],
)
