/** Events, which describe changes to a seller's records. Triggers write them in the same transaction as the change. */
import { sql } from 'drizzle-orm'
import { bigint, index, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { idDigest } from './columns'
import { instant, jsonText, transactionId } from './types'

/** An event. As in the record tables, the seller is not a foreign key. */
export const events = pgTable(
  'events',
  {
    sellerId: text('seller_id').notNull(),
    /**
     * `evt_`, 13 hex digits of the time (in units of 2^-20 seconds) and 11 random hex digits. IDs in chronological order are faster to
     * index. They are not secret, so `random()` is sufficient, and three times as fast as a random UUID.
     */
    id: text('id')
      .notNull()
      .default(
        sql`'evt_' || lpad(to_hex((date_part('epoch', clock_timestamp()) * 1048576)::bigint), 13, '0') || right(to_hex((17592186044416 + random() * 17592186044415)::bigint), 11)`,
      ),
    /**
     * Orders events by transaction. Readers omit events of transactions later than the oldest running one, whose own events would precede
     * them.
     */
    transactionId: transactionId('transaction_id').notNull().default(sql`pg_current_xact_id()`),
    /** Orders events within a transaction. */
    sequence: bigint('sequence', { mode: 'number' }).notNull().generatedAlwaysAsIdentity(),
    /** The type, such as `payment.paid`. */
    type: text('type').notNull(),
    /**
     * The time of the change, truncated to milliseconds because the API returns it, and filters by it, in milliseconds. A transaction
     * can set it (`desk.now`). The default is the current time instead of the transaction's start, because the transaction may have waited for a lock.
     */
    createdAt: instant('created_at')
      .notNull()
      .default(sql`date_trunc('milliseconds', coalesce(nullif(current_setting('desk.now', true), '')::timestamptz, clock_timestamp()))`),
    /** The ID of the record that the event is about. Null for tickets and test events. */
    recordId: text('record_id'),
    /**
     * The record as returned by the API, without secrets or ticket codes. Except for tickets, it is null until the record changes again;
     * until then, `eventData` reads the record.
     */
    data: jsonText('data'),
  },
  (t) => [
    primaryKey({ columns: [t.sellerId, t.id] }),
    // The last two columns are not needed for the order. With them, queries for a rare type or early dates do not read every event.
    index('events_order').on(t.sellerId, t.transactionId, t.sequence, t.type, t.createdAt),
    index('events_of_record').on(idDigest(t.sellerId, t.recordId)).where(sql`${t.data} is null`),
  ],
)
