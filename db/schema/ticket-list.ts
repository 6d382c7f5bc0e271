/** Data for check-in devices' ticket lists: the transaction that last changed each ticket, and the derived keys of weak codes. */
import { sql } from 'drizzle-orm'
import { index, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { bytes, transactionId } from './types'

/**
 * The transaction that last changed a ticket, set by triggers. This is not a column of `tickets`, because with an index on it, every
 * check-in would have to update all of that table's indexes. Rows of deleted tickets are kept so that devices remove those tickets.
 */
export const ticketChanges = pgTable(
  'ticket_changes',
  {
    sellerId: text('seller_id').notNull(),
    ticketId: text('ticket_id').notNull(),
    changedIn: transactionId('changed_in').notNull(),
    /** A digest of a deleted ticket's code (lib/admission/unlisted-guests.ts). A device may still report that it let in the guest. */
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

/** Derived keys of weak codes (lib/admission/code-keys.ts). A row with null `bits` is a request to derive a key. */
export const ticketCodeKeys = pgTable(
  'ticket_code_keys',
  {
    sellerId: text('seller_id').notNull(),
    ticketId: text('ticket_id').notNull(),
    /** An HMAC, under the seller's key, of the code that `bits` is derived from. */
    digest: bytes('digest'),
    /** The derived index of the code, followed by the derived key. */
    bits: bytes('bits'),
  },
  (t) => [
    primaryKey({ columns: [t.sellerId, t.ticketId] }),
    index('ticket_code_keys_waiting').on(t.sellerId, t.ticketId).where(sql`bits is null`),
  ],
)
