/** Records each request of an API key: buffered in memory and written in batches, separately from the requests. */
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { requestLog, sellers } from '@/db/schema'
import { isSchemaMismatch, isUnavailable } from '@/db/unavailable'
import { describeError, log } from '../core/log'
import { metrics } from '../core/metrics'
import { PURGE_BATCH, purgeInBatches } from '../core/purge'

/** The retention of requests, in days. */
export const KEPT = sql`interval '7 days'`
/** The size of the buffer. More requests are dropped, so that an outage takes at most a few megabytes. */
export const MOST_WAITING = 10_000
/** The number of requests per statement, which takes a few milliseconds. */
const BATCH = 1_000
const FLUSH_MS = 1_000
/** The number of flushes between two purges. */
const PURGE_EVERY = 60

/** A request: the operation (method and route) and its outcome, but no parameters or content. */
export type LoggedRequest = {
  sellerId: string
  keyId: string
  requestId: string
  /** When the request arrived. */
  at: Date
  method: string
  /** The route's pattern, such as `/v1/tickets/validate/:qrCode`. */
  route: string
  status: number
  /** The duration in milliseconds, until the response was sent. */
  ms: number
}

const waiting: LoggedRequest[] = []

/** Buffers a request for the next batch, or drops it if the buffer is full. */
export function keepRequest(request: LoggedRequest): void {
  if (waiting.length < MOST_WAITING) waiting.push(request)
  else metrics()?.droppedRequests.inc()
}

// A batch whose response was lost is sent again and might already be stored.
const WRITE = sql`
  insert into ${requestLog} (seller_id, at, request_id, key_id, method, route, status, ms)
  select "sellerId", at, "requestId", "keyId", method, route, status, ms from json_to_recordset(${sql.placeholder('batch')}::text::json)
    as request ("sellerId" text, at timestamptz, "requestId" text, "keyId" text, method text, route text, status smallint, ms real)
  on conflict do nothing`

/** Writes the buffered requests, oldest first. Does not throw: requests stay buffered during an outage, and an invalid batch is dropped. */
export async function flushRequests(): Promise<void> {
  while (waiting.length > 0) {
    const batch = waiting.slice(0, BATCH)
    try {
      await database().use(({ rows }) => rows(WRITE, { batch: JSON.stringify(batch) }))
    } catch (error) {
      if (isUnavailable(error) || isSchemaMismatch(error)) return
      log().warn({ error: describeError(error), requests: batch.length }, 'could not write requests to the request log')
      metrics()?.droppedRequests.inc(batch.length)
    }
    waiting.splice(0, batch.length)
  }
}

// Deletes per seller. With an index on only the time, the planner would read a seller's list through every other seller's requests.
const PURGE = sql`
  delete from ${requestLog} where (seller_id, at, request_id) in (
    select old.* from ${sellers} cross join lateral (
      select seller_id, at, request_id from ${requestLog} where seller_id = ${sellers.id} and at <= now() - ${KEPT}
      order by at limit ${PURGE_BATCH} for update skip locked) as old
    limit ${PURGE_BATCH})
  returning 1`

/** Deletes all expired requests. Throws the same errors as `Database.use`. */
export const purgeRequests = () => purgeInBatches(PURGE)

async function writeUntil(ending: AbortSignal): Promise<void> {
  for (let turn = 0; !ending.aborted; turn += 1) {
    if (turn % PURGE_EVERY === 0)
      await purgeRequests().catch((error: unknown) => log().warn({ error: describeError(error) }, 'could not delete expired requests'))
    await pause(FLUSH_MS, undefined, { signal: ending, ref: false }).catch(() => {})
    await flushRequests()
  }
}

/** Writes once per second and purges once per minute. @returns a function that stops after a last batch */
export function startRequestLog(): () => Promise<void> {
  const ending = new AbortController()
  const ended = writeUntil(ending.signal)
  return () => {
    ending.abort()
    return ended
  }
}
