/**
 * The columns of a record table: the record, its seller and its secrets, and the columns that a trigger derives from the record.
 * One trigger parses the JSON once for all of them. GENERATED columns would each parse it again; when we tried them, that took 40% of an import's time.
 */
import { type SQLWrapper, sql } from 'drizzle-orm'
import { bigint, boolean, json, numeric, text } from 'drizzle-orm/pg-core'
import { instant } from './types'

/**
 * Returns the columns of every record table: the seller, the record, the columns for sorting, and the search text.
 * The seller is not a foreign key, because checking it for each row took an eighth of an import's time. Sellers are never deleted,
 * and an import looks up its seller once.
 */
export const recordColumns = () => ({
  sellerId: text('seller_id').notNull(),
  record: json('record').notNull(),
  id: derived('id').notNull(),
  createdAt: instant('created_at').notNull(),
  search: derived('search').notNull(),
})

/** Returns the columns of a listed resource. */
export const listedColumns = () => ({
  ...recordColumns(),
  /** The payment gateway's ID for the record. Null if it is longer than 255 bytes; no gateway uses IDs that long. */
  gatewayId: derived('gateway_id'),
  secrets: secretsColumn(),
})

/**
 * Returns a digest of a seller's ID and another ID. An index on it is a quarter of the size of one on the IDs. Digests can collide, so
 * compare the IDs too.
 */
export const idDigest = (sellerId: SQLWrapper | string, id: SQLWrapper | string) =>
  sql`hashtextextended(${id}, hashtextextended(${sellerId}, 0))`

/** Returns a text column that the table's `derive` trigger sets (`desk_attach_record_triggers`), overwriting any other value. */
export const derived = (name: string) => text(name)

/** Returns the columns of an order: a payment, a booking or a subscription. */
export const orderColumns = () => ({
  ...listedColumns(),
  status: derived('status'),
  pageId: derived('page_id'),
  /** In minor units. */
  amount: numeric('amount'),
  currency: derived('currency'),
  livemode: boolean('livemode'),
  /** The payment method, such as `card`. */
  method: derived('method'),
  names: namesColumn(),
  /**
   * A digest of the customer's ID in lowercase, because IDs can be too long for an index. Compare the ID too, because digests can collide.
   */
  customerDigest: bigint('customer_digest', { mode: 'bigint' }),
  /**
   * A digest of the coupon's ID in lowercase or, if the order has no such ID, of `code ` followed by the folded code. Compare the ID or the code
   * too.
   */
  couponDigest: bigint('coupon_digest', { mode: 'bigint' }),
})

/** Returns the column for the names of the person and the company, in lowercase and without accents. The dashboard's tables search it. */
export const namesColumn = () => derived('names')

/** Returns the columns of a one-time order. */
export const soldColumns = () => ({
  ...orderColumns(),
  /** The part of the amount that counts as revenue, in minor units. */
  revenue: numeric('revenue'),
  /** The coupon's discount, in minor units. */
  discount: numeric('discount'),
  /** The first 200 characters of the reason why the payment failed; empty if unknown. Null unless the status is `failed`. */
  failure: derived('failure'),
})

/** Returns the column for a record's secret members. They are stored separately, so that reading a record cannot reveal them. */
const secretsColumn = () => json('secrets')
