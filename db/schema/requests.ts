/** The log of requests with API keys, written in batches and deleted after seven days. */
import { sql } from 'drizzle-orm'
import { index, pgTable, primaryKey, real, smallint, text } from 'drizzle-orm/pg-core'
import { instant } from './types'

/**
 * A request: its operation and outcome, never its parameters. The seller and key are not foreign keys, because the request itself has
 * looked them up and they are never deleted.
 */
export const requestLog = pgTable(
  'request_log',
  {
    sellerId: text('seller_id').notNull(),
    /** When the request arrived. */
    at: instant('at').notNull(),
    /** The value of the Request-Id response header. */
    requestId: text('request_id').notNull(),
    keyId: text('key_id').notNull(),
    method: text('method').notNull(),
    /** The route pattern, such as /v1/tickets/validate/:qrCode. */
    route: text('route').notNull(),
    status: smallint('status').notNull(),
    /** The time in milliseconds until the response was sent. */
    ms: real('ms').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.sellerId, t.at, t.requestId] }),
    index('request_log_request').on(t.sellerId, t.requestId),
    index('request_log_status').on(t.sellerId, sql`(${t.status} / 100)`, t.at),
    index('request_log_key').on(t.sellerId, t.keyId, t.at),
  ],
)
