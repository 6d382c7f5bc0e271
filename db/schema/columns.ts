/**
 * The columns of record tables: the record, its seller and secrets, and the columns that a trigger derives from the record. The trigger
 * parses the JSON only once. GENERATED columns would each parse it again, which took 40% of an import's time when we tried them.
 */
import { type SQLWrapper, sql } from 'drizzle-orm'
import { bigint, boolean, json, numeric, text } from 'drizzle-orm/pg-core'
import { instant } from './types'

/**
 * Returns the columns of every record table: the seller, the record, the sort columns and the search text. The seller is not a foreign key,
 * because checking it for each row took an eighth of an import's time. Sellers are never deleted, and an import looks up its seller once.
 */
export const recordColumns = () => ({
  sellerId: text('seller_id').notNull(),
  record: json('record').notNull(),
  id: derivedText('id').notNull(),
  createdAt: instant('created_at').notNull(),
  search: derivedText('search').notNull(),
})

/** Returns the columns of a listed resource. */
export const listedColumns = () => ({
  ...recordColumns(),
  /** The payment gateway's ID for the record. Null if it is longer than 255 bytes; no real ID is that long. */
  gatewayId: derivedText('gateway_id'),
  secrets: secretsColumn(),
})

/**
 * Returns a digest of a seller's ID and another ID. An index on the digest is a quarter of the size of one on the IDs. Digests can collide,
 * so compare the IDs too.
 */
export const idDigest = (sellerId: SQLWrapper | string, id: SQLWrapper | string) =>
  sql`hashtextextended(${id}, hashtextextended(${sellerId}, 0))`

/** Returns a text column that is set by the table's `derive` trigger (`desk_attach_record_triggers`), which overwrites any other value. */
export const derivedText = (name: string) => text(name)

/** Returns the columns of an order: a payment, a booking or a subscription. */
export const orderColumns = () => ({
  ...listedColumns(),
  status: derivedText('status'),
  pageId: derivedText('page_id'),
  /** In minor units. */
  amount: numeric('amount'),
  currency: derivedText('currency'),
  livemode: boolean('livemode'),
  /** The payment method, such as `card`. */
  method: derivedText('method'),
  names: namesColumn(),
  /**
   * A digest of the lowercase customer ID, because IDs can be too long to index. Digests can collide, so compare the ID too.
   */
  customerDigest: bigint('customer_digest', { mode: 'bigint' }),
  /**
   * A digest of the lowercase coupon ID or, if the order has none, of `code ` followed by the folded code. Digests can collide, so compare
   * the ID or code too.
   */
  couponDigest: bigint('coupon_digest', { mode: 'bigint' }),
})

/** Returns the column for the names of the person and company, in lowercase and without accents. The dashboard's tables search it. */
export const namesColumn = () => derivedText('names')

/** Returns the columns of a one-time order. */
export const oneTimeOrderColumns = () => ({
  ...orderColumns(),
  /** The part of the amount that counts as revenue, in minor units. */
  revenue: numeric('revenue'),
  /** The coupon's discount, in minor units. */
  discount: numeric('discount'),
  /** The first 200 characters of the reason for the failure; empty if unknown. Null unless the status is `failed`. */
  failure: derivedText('failure'),
})

/** Returns the column for a record's secret members, which are stored separately so that reading a record cannot reveal them. */
const secretsColumn = () => json('secrets')
