/** The number of sold and checked-in tickets, maintained by triggers on `tickets`, so that check-in does not have to count. */
import { bigint, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'

/**
 * Paid tickets per checkout page and ticket type. Each writer changes a row of its key that no other transaction has locked, or adds one with
 * a new slot, so that 50 doors never wait for each other; a count is the sum over all slots.
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
    /** Paid tickets, and those of them that are checked in. */
    sold: integer('sold').notNull(),
    inside: integer('inside').notNull(),
    /** A ticket that was counted here. Its booking contains the name of the type. */
    ticketId: text('ticket_id'),
  },
  (t) => [primaryKey({ name: 'ticket_counts_pk', columns: [t.sellerId, t.pageId, t.ticketTypeId, t.slot] })],
)
