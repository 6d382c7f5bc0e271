/** Digests of people whose data was erased, so that their old records and Stripe events are redacted if they are received again. */
import { pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { bytes, instant } from './types'

export const erasures = pgTable(
  'erasures',
  {
    sellerId: text('seller_id').notNull(),
    /** The HMAC-SHA256 of the kind and value of one of the person's identifiers, such as `email ada@example.com`. */
    subject: bytes('subject').notNull(),
    /** The HMAC key: random bytes, the same for all rows of a seller. */
    salt: bytes('salt').notNull(),
    /** The ID of the erased customer. */
    customerId: text('customer_id').notNull(),
    /** The time of the erasure. Records and Stripe events created later are not redacted. */
    at: instant('at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.sellerId, t.subject] })],
)
