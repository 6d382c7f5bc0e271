/** What API keys have asked for of late: written in batches, deleted after some days. */
import { sql } from 'drizzle-orm'
import { index, pgTable, primaryKey, real, smallint, text } from 'drizzle-orm/pg-core'
import { instant } from './types'

/**
 * A request of a key: which operation, and how it went; nothing of what was asked. Neither seller nor key is a foreign key: both were
 * looked up for the request itself, and are never deleted.
 */
export const requestLog = pgTable(
  'request_log',
  {
    sellerId: text('seller_id').notNull(),
    /** When it came in. */
    at: instant('at').notNull(),
    /** As the answer's header Request-Id has it. */
    requestId: text('request_id').notNull(),
    keyId: text('key_id').notNull(),
    method: text('method').notNull(),
    /** The path's pattern, such as /v1/tickets/validate/:qrCode. */
    route: text('route').notNull(),
    status: smallint('status').notNull(),
    /** How long until its answer had gone out, in milliseconds. */
    ms: real('ms').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.sellerId, t.at, t.requestId] }),
    index('request_log_request').on(t.sellerId, t.requestId),
    index('request_log_status').on(t.sellerId, sql`(${t.status} / 100)`, t.at),
    index('request_log_key').on(t.sellerId, t.keyId, t.at),
  ],
)
