/** The counts shown at check-in. Triggers maintain them in the scans' transactions, so that readers do not have to count tickets. */
import { bigint, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { instant } from './types'

/**
 * Paid tickets per checkout page and ticket type. Slots work as in `record_counts`, so that doors never wait for each other.
 */
export const ticketCounts = pgTable(
  'ticket_counts',
  {
    sellerId: text('seller_id').notNull(),
    /** Empty for tickets without a checkout page. */
    pageId: text('page_id').notNull(),
    /** Empty for tickets without a type. */
    ticketTypeId: text('ticket_type_id').notNull(),
    slot: bigint('slot', { mode: 'bigint' }).notNull(),
    /** The number of paid tickets and how many of them are checked in. */
    sold: integer('sold').notNull(),
    inside: integer('inside').notNull(),
    /** The number of paid tickets whose guests have attended: those checked in, or checked out by a scan. */
    attended: integer('attended').notNull().default(0),
    /** The number of people inside, including those with canceled or copied tickets or unknown codes. */
    people: integer('people').notNull().default(0),
    /** A ticket counted in this row, whose booking contains the name of the ticket type. */
    ticketId: text('ticket_id'),
  },
  (t) => [primaryKey({ name: 'ticket_counts_pk', columns: [t.sellerId, t.pageId, t.ticketTypeId, t.slot] })],
)

/** Validation attempts by event, ticket type, device and outcome. Slots work as in `record_counts`. */
export const scanCounts = pgTable(
  'scan_counts',
  {
    sellerId: text('seller_id').notNull(),
    /** Empty for scans without an event. */
    pageId: text('page_id').notNull(),
    /** Empty for scans without a ticket type. */
    ticketTypeId: text('ticket_type_id').notNull(),
    /** The ID of the device, user or API key. */
    actorId: text('actor_id').notNull(),
    outcome: text('outcome').notNull(),
    slot: bigint('slot', { mode: 'bigint' }).notNull(),
    scans: integer('scans').notNull(),
  },
  (t) => [primaryKey({ name: 'scan_counts_pk', columns: [t.sellerId, t.pageId, t.ticketTypeId, t.actorId, t.outcome, t.slot] })],
)

/** Admissions by event and minute, deleted after a day (`purgeAttempts`). Slots work as in `record_counts`. */
export const admissionCounts = pgTable(
  'admission_counts',
  {
    sellerId: text('seller_id').notNull(),
    /** The start of the minute. */
    minute: instant('minute').notNull(),
    /** Empty for admissions without an event. */
    pageId: text('page_id').notNull(),
    slot: bigint('slot', { mode: 'bigint' }).notNull(),
    admissions: integer('admissions').notNull(),
  },
  (t) => [primaryKey({ name: 'admission_counts_pk', columns: [t.sellerId, t.minute, t.pageId, t.slot] })],
)
