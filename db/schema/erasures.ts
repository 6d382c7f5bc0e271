/** Erased persons, as digests, so that importing an old record does not bring their data back. */
import { pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { bytes, instant } from './types'

export const erasures = pgTable(
  'erasures',
  {
    sellerId: text('seller_id').notNull(),
    /** The HMAC-SHA256 of an ID or an email address of the person, with the seller's salt as the key. */
    subject: bytes('subject').notNull(),
    /** Random bytes, the same in all rows of a seller. */
    salt: bytes('salt').notNull(),
    customerId: text('customer_id').notNull(),
    /** Records that were created later are not erased. */
    at: instant('at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.sellerId, t.subject] })],
)
