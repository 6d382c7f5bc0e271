/** Keeps what each request of a key was and how it went: noted in memory, written in batches, apart from every request. */
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { requestLog, sellers } from '@/db/schema'
import { isSchemaMismatch, isUnavailable } from '@/db/unavailable'
import { describeError, log } from '../core/log'
import { countDroppedRequests } from '../core/metrics'

/** How long a request is kept. */
export const KEPT = sql`interval '7 days'`
/** How many wait to be written; what comes on top is dropped, so that an outage costs a few megabytes and no more. */
export const MOST_WAITING = 10_000
/** In one statement: some milliseconds' work. */
const BATCH = 1_000
const FLUSH_MS = 1_000
/** Turns of the writer between two looks at what has grown too old. */
const PURGE_EVERY = 60
const PURGE_BATCH = 5_000

/** The operation as method and pattern; nothing that was asked or answered. */
export type LoggedRequest = {
  sellerId: string
  keyId: string
  requestId: string
  /** When it came in. */
  at: Date
  method: string
  /** Such as `/v1/tickets/validate/:qrCode`. */
  route: string
  status: number
  /** Until its answer had gone out, in milliseconds. */
  ms: number
}

const waiting: LoggedRequest[] = []

/** Notes a request to be written with the next batch; dropped where too many wait already. */
export function keepRequest(request: LoggedRequest): void {
  if (waiting.length < MOST_WAITING) waiting.push(request)
  else countDroppedRequests(1)
}

// A batch whose answer was lost is sent again, and may be there already.
const WRITE = sql`
  insert into ${requestLog} (seller_id, at, request_id, key_id, method, route, status, ms)
  select "sellerId", at, "requestId", "keyId", method, route, status, ms from json_to_recordset(${sql.placeholder('batch')}::text::json)
    as request ("sellerId" text, at timestamptz, "requestId" text, "keyId" text, method text, route text, status smallint, ms real)
  on conflict do nothing`

/** Writes what waits, oldest first. Throws nothing: while the database is away it goes on waiting, and a batch that can't be written is dropped. */
export async function flushRequests(): Promise<void> {
  while (waiting.length > 0) {
    const batch = waiting.slice(0, BATCH)
    try {
      await database().use(({ rows }) => rows(WRITE, { batch: JSON.stringify(batch) }))
    } catch (error) {
      if (isUnavailable(error) || isSchemaMismatch(error)) return
      log().warn({ error: describeError(error), requests: batch.length }, 'requests not kept')
      countDroppedRequests(batch.length)
    }
    waiting.splice(0, batch.length)
  }
}

// Seller by seller, for an index by time alone is one that a seller's own list could be read by, past everyone else's requests.
const PURGE = sql`
  delete from ${requestLog} where (seller_id, at, request_id) in (
    select old.* from ${sellers} cross join lateral (
      select seller_id, at, request_id from ${requestLog} where seller_id = ${sellers.id} and at <= now() - ${KEPT}
      order by at limit ${PURGE_BATCH} for update skip locked) as old
    limit ${PURGE_BATCH})
  returning 1`

/** Deletes every request that is past its days, a bounded number in one statement. Throws as `Database.use` does. */
export async function purgeRequests(): Promise<void> {
  let gone: number
  do gone = (await database().use(({ rows }) => rows(PURGE))).length
  while (gone === PURGE_BATCH)
}

async function writeUntil(ending: AbortSignal): Promise<void> {
  for (let turn = 0; !ending.aborted; turn += 1) {
    if (turn % PURGE_EVERY === 0)
      await purgeRequests().catch((error: unknown) => log().warn({ error: describeError(error) }, 'old requests not deleted'))
    await pause(FLUSH_MS, undefined, { signal: ending, ref: false }).catch(() => {})
    await flushRequests()
  }
}

/** Writes once a second, and deletes once a minute. @returns what ends that, with a last batch */
export function startRequestLog(): () => Promise<void> {
  const ending = new AbortController()
  const ended = writeUntil(ending.signal)
  return () => {
    ending.abort()
    return ended
  }
}
