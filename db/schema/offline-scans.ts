/**
 * Scans that devices made offline, check-ins and undos displaced by these scans, and exits of guests without a ticket. Old rows are kept,
 * except for exits without a known entry (`purgeAttempts`).
 */
import { sql } from 'drizzle-orm'
import { boolean, index, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { sellers } from './tenants'
import { bytes, instant } from './types'

export const offlineScans = pgTable(
  'offline_scans',
  {
    sellerId: text('seller_id')
      .notNull()
      .references(() => sellers.id),
    /**
     * The device's ID for the scan, which is also the idempotency key of its first request. For displaced check-ins and undos, an ID
     * starting with `entry:`.
     */
    id: text('id').notNull(),
    /** Null if no ticket has the code. */
    ticketId: text('ticket_id'),
    /** The ID of the device, user or API key that made the scan. */
    actorId: text('actor_id').notNull(),
    method: text('method', { enum: ['QRSCAN', 'MANUAL'] }).notNull(),
    /** How the ticket was identified. Null if unknown, as in scans from older versions of the page. */
    source: text('source', { enum: ['camera', 'scanner', 'typed', 'guest_list'] }),
    direction: text('direction', { enum: ['in', 'out'] })
      .notNull()
      .default('in'),
    /** The event at the door, whose counts include guests without a ticket for it. Null if unknown. */
    pageId: text('page_id'),
    /** The result that the device showed. `unreadable` if the scan can no longer be decrypted; `undone` for a displaced undo by staff. */
    decision: text('decision', {
      enum: [
        'admitted',
        'checked_out',
        'already_checked_in',
        'not_checked_in',
        'canceled',
        'other_event',
        'unknown',
        'unreadable',
        'undone',
      ],
    }).notNull(),
    /** Whether staff let the guest in although the code was not on the device's list. */
    isOverride: boolean('is_override').notNull().default(false),
    /** Whether the scan adds no check-in because the server's decision on a request with the same ID takes precedence. */
    isDecided: boolean('is_decided').notNull().default(false),
    /**
     * The check-in that this scan or displaced undo reverts: the ID of its scan or, if the server made it, an ID starting with `entry:`.
     */
    undoes: text('undoes'),
    /** The time of the scan on the device's clock. */
    claimedAt: instant('claimed_at').notNull(),
    /** The time of the scan on the server's clock, no later than its arrival. */
    correctedAt: instant('corrected_at').notNull(),
    arrivedAt: instant('arrived_at').notNull().defaultNow(),
    /** How the scan conflicts with another scan or with the server's data. Null if it does not. */
    conflict: text('conflict', {
      enum: ['double_entry', 'canceled', 'unknown_code', 'other_event', 'refused_in_error', 'not_permitted', 'unreadable'],
    }),
    /** An HMAC of the code. It links the entry and exit of a guest without a ticket for the event. Other entries have none. */
    codeDigest: bytes('code_digest'),
    /** For such a guest's entry: whether the guest has left. For an exit: whether it let out a guest who entered with the ticket. */
    hasLeft: boolean('has_left').notNull().default(false),
    reviewedAt: instant('reviewed_at'),
    reviewedBy: text('reviewed_by'),
    /** The reviewer's note, or the reason for a displaced undo. */
    note: text('note'),
  },
  (t) => [
    primaryKey({ columns: [t.sellerId, t.id] }),
    index('offline_scans_ticket').on(t.sellerId, t.ticketId),
    index('offline_scans_code').on(t.sellerId, t.codeDigest).where(sql`code_digest is not null`),
    index('offline_scans_open').on(t.sellerId, t.correctedAt).where(sql`conflict is not null and reviewed_at is null`),
  ],
)
