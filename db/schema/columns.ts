/**
 * The columns of a record: the two that are written, and those that a trigger derives from it.
 * A trigger reads the JSON once for all of them; GENERATED columns read it once each, which cost two fifths of an import.
 */
import { boolean, json, numeric, text } from 'drizzle-orm/pg-core'
import { instant } from './types'

/**
 * What every record table has: who owns it, the record, and what puts it in order.
 * The owner is no foreign key: checked for each row, that cost an eighth of an import. Sellers are never deleted, and an
 * import looks its seller up once.
 */
export const recordColumns = () => ({
  sellerId: text('seller_id').notNull(),
  record: json('record').notNull(),
  id: derived('id').notNull(),
  createdAt: instant('created_at').notNull(),
  search: derived('search').notNull(),
})

/** What a listed resource has besides. A text too long for an index to carry stands in the second, and the first is null (migrations/0009_search.sql). */
export const listedColumns = () => ({
  ...recordColumns(),
  search: derived('search'),
  searchLong: derived('search_long'),
  /** The payment gateway's id of it, where it has one of at most 255 bytes: no gateway's is longer. */
  gatewayId: derived('gateway_id'),
  secrets: secretsColumn(),
})

/** Text that the table's `derive` trigger sets (migrations/0002_derive.sql); whatever else is written there is overwritten. */
export const derived = (name: string) => text(name)

/** What is filtered by, and what the overview adds up. */
export const orderColumns = () => ({
  ...listedColumns(),
  status: derived('status'),
  pageId: derived('page_id'),
  amount: numeric('amount'),
  currency: derived('currency'),
  livemode: boolean('livemode'),
})

/** What of a one-time order's amount came in: all of it, the part that is paid, or nothing. */
export const soldColumns = () => ({ ...orderColumns(), revenue: numeric('revenue') })

/** Members that bear a secret, kept apart so that reading a record can never show one. */
export const secretsColumn = () => json('secrets')
