/** Digests that identify erased people, so that importing an old record does not restore their data. */
import { pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { bytes, instant } from './types'

export const erasures = pgTable(
  'erasures',
  {
    sellerId: text('seller_id').notNull(),
    /** The HMAC-SHA256 of one of the person's identifiers, such as an email address or order ID, with the seller's salt as the key. */
    subject: bytes('subject').notNull(),
    /** Random bytes, the same in all of a seller's rows. */
    salt: bytes('salt').notNull(),
    customerId: text('customer_id').notNull(),
    /** The time of the erasure. Records created later are not erased. */
    at: instant('at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.sellerId, t.subject] })],
)
