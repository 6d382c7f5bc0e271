/** Data for the ticket lists of check-in devices: the transaction that last changed each ticket, and the derived keys of weak codes. */
import { sql } from 'drizzle-orm'
import { index, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { bytes, transactionId } from './types'

/**
 * The transaction that last changed a ticket, set by triggers. It is not a column of `tickets`, because an index on it would make every
 * check-in update all indexes of that table. The row of a deleted ticket is kept, so that devices remove the ticket.
 */
export const ticketChanges = pgTable(
  'ticket_changes',
  {
    sellerId: text('seller_id').notNull(),
    ticketId: text('ticket_id').notNull(),
    changedIn: transactionId('changed_in').notNull(),
    /** A digest of the code of a deleted ticket (lib/admission/unlisted-guests.ts). A device may still report that it let in the guest. */
    codeDigest: bytes('code_digest'),
    /** The booking of a generated ticket that was deleted because imported tickets replaced it. */
    bookingId: text('booking_id'),
  },
  (t) => [
    primaryKey({ columns: [t.sellerId, t.ticketId] }),
    index('ticket_changes_order').on(t.sellerId, t.changedIn, t.ticketId),
    index('ticket_changes_code').on(t.sellerId, t.codeDigest).where(sql`booking_id is not null`),
    index('ticket_changes_booking').on(t.sellerId, t.bookingId).where(sql`booking_id is not null`),
  ],
)

/** Derived keys of weak codes (lib/admission/code-keys.ts). A row whose bits are null is a request for a key. */
export const ticketCodeKeys = pgTable(
  'ticket_code_keys',
  {
    sellerId: text('seller_id').notNull(),
    ticketId: text('ticket_id').notNull(),
    /** An HMAC, with the seller's key, of the code from which `bits` is derived. */
    digest: bytes('digest'),
    /** The derived index of the code, followed by the derived key. */
    bits: bytes('bits'),
  },
  (t) => [
    primaryKey({ columns: [t.sellerId, t.ticketId] }),
    index('ticket_code_keys_waiting').on(t.sellerId, t.ticketId).where(sql`bits is null`),
  ],
)
