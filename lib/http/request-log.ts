/**
 * Logs each request with its route, status, duration and caller, but never its content, and counts it in the metrics. Requests with a valid
 * API key are also stored in the request log, in batches, so that no request waits for a write.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import { database } from '@/db/client'
import { requestLog, sellers } from '@/db/schema'
import { isSchemaMismatch, isUnavailable } from '@/db/unavailable'
import { resources } from '../catalog'
import { env } from '../core/env'
import { log } from '../core/log'
import { metrics } from '../core/metrics'
import { PURGE_BATCH, purgeInBatches } from '../core/purge'
import { takeCaller, trackCallers } from './authenticate'
import { getRejection } from './connections'
import { isMethod } from './methods'

/** The retention period of the request log. */
export const RETENTION = sql`interval '7 days'`
/** The maximum number of buffered requests. Further ones are dropped, so that the buffer takes at most a few megabytes during an outage. */
export const MAX_WAITING = 10_000
/** The maximum number of requests per statement. Such a statement takes a few milliseconds. */
const BATCH = 1_000
/** The interval at which the buffer is written, in milliseconds. */
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
  /** The duration in milliseconds, until the response was sent or the client disconnected. */
  ms: number
}

let waiting: LoggedRequest[] = []

const MINUTE_MS = 60_000
const MAX_KEYS = 10_000
/** The number of 403s and 429s by key, in a window that starts with the first of them. */
const refusals = new LRUCache<string, number>({ max: MAX_KEYS, ttl: MINUTE_MS, noUpdateTTL: true })

/**
 * Counts a 403 or 429, and returns whether its key has had more of them in this minute than the rate limit allows requests. The rate limit
 * bounds all other requests of a key, but a client that ignores these responses could fill the database's disk with them.
 */
function isExcess({ keyId, status }: LoggedRequest): boolean {
  const limit = env().RATE_LIMIT_PER_MINUTE
  if (limit === 0 || (status !== 403 && status !== 429)) return false
  const count = (refusals.get(keyId) ?? 0) + 1
  refusals.set(keyId, count)
  return count > limit
}

/** Buffers a request for the next batch. Drops it if the buffer is full, or if its key has had too many 403s and 429s. */
export function bufferRequest(request: LoggedRequest): void {
  if (waiting.length < MAX_WAITING && !isExcess(request)) waiting.push(request)
  else metrics()?.droppedRequests.inc()
}

// Ignores conflicts, because a batch is sent again if the database's response was lost, and might already be stored.
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
      await database().query(WRITE, { batch: JSON.stringify(batch) })
    } catch (error) {
      if (isUnavailable(error) || isSchemaMismatch(error)) return
      log().warn({ error, requests: batch.length }, 'could not write requests to the request log')
      metrics()?.droppedRequests.inc(batch.length)
    }
    // Copies the rest, because removing elements from the front of a long array would move all others one by one.
    waiting = waiting.slice(batch.length)
  }
}

// Deletes per seller, using the primary key. If there were an index on the time alone, the planner might use it to list a seller's
// requests, and read those of all other sellers.
const PURGE = sql`
  delete from ${requestLog} where (seller_id, at, request_id) in (
    select old.* from ${sellers} cross join lateral (
      select seller_id, at, request_id from ${requestLog} where seller_id = ${sellers.id} and at <= now() - ${RETENTION}
      order by at limit ${PURGE_BATCH} for update skip locked) as old
    limit ${PURGE_BATCH})
  returning 1`

/** Deletes the expired requests of all sellers. Throws the same errors as `Database.use`. */
export const purgeRequests = () => purgeInBatches(PURGE)

async function writeUntil(ending: AbortSignal): Promise<void> {
  for (let round = 0; !ending.aborted; round += 1) {
    if (round % PURGE_EVERY === 0)
      await purgeRequests().catch((error: unknown) => log().warn({ error }, 'could not delete expired requests'))
    await pause(FLUSH_MS, undefined, { signal: ending, ref: false }).catch(() => {})
    await flushRequests()
  }
}

/** Starts writing the buffer every second and deleting expired requests every minute. @returns a function that writes the rest and stops */
export function startRequestLog(): () => Promise<void> {
  const ending = new AbortController()
  const ended = writeUntil(ending.signal)
  return () => {
    ending.abort()
    return ended
  }
}

/** The first segments of the paths of pages. Later segments can contain IDs. `pages.test.ts` compares this list with the route tree. */
export const PAGES = new Set([
  ...Object.keys(resources),
  '_next',
  'docs',
  'door',
  'find',
  'invite',
  'overview',
  'saved-views',
  'settings',
  'sign-in',
  'tickets',
])

/**
 * The routes of the check-in page. They are counted separately, because failed scans must not be hidden by the many requests for counts,
 * whose streams last minutes. `pages.test.ts` compares this list with the route tree.
 */
export const DOOR_ROUTES = new Set(
  [
    'admit',
    'counts',
    'find',
    'manifest.webmanifest',
    'metadata',
    'scan',
    'scans',
    'sign-out',
    'sw.js',
    'ticket',
    'tickets',
    'turnout',
    'undo',
  ].map((name) => `/door/${name}`),
)
/** The routes that check in guests. */
const CHECK_IN_ROUTES = ['/v1/tickets/validate/:qrCode', '/door/scan', '/door/admit']

/** The API route that handles each request, and the request ID if it is already known. */
const routes = new WeakMap<IncomingMessage, { route: string; requestId?: string | undefined }>()

/** Records which API route handles a request, and the request ID if it is already known. */
export const recordRoute = (incoming: IncomingMessage, route: string, requestId?: string) => routes.set(incoming, { route, requestId })

/** Returns the path of a page, or of a route of the check-in page, without IDs, codes or searches; `other` if it is neither. */
function pageRoute(url: string): string {
  const [path = ''] = url.split(/[?#]/, 1)
  if (path === '/' || DOOR_ROUTES.has(path)) return path
  const page = /^\/api\/auth(?=\/)/.exec(path)?.[0] ?? /^\/[^/]*/.exec(path)?.[0] ?? ''
  if (page !== '/api/auth' && !PAGES.has(page.slice(1))) return 'other'
  return path.length > page.length + 1 ? `${page}/*` : page
}

/**
 * Logs and counts a request that Node's HTTP parser rejected, so its method and path are unknown.
 *
 * @param requestId undefined if there is no response
 * @param code the parser's error code
 */
export function recordRejected(status: number, requestId: string | undefined, code: string | undefined): void {
  metrics()?.requests.inc({ route: 'other', method: 'other', status })
  log().info({ method: 'other', route: 'other', status, requestId, code }, 'request')
}

/** Returns a function that logs, counts and records a request once the response is sent or the client has disconnected. */
export function createObserver(): (incoming: IncomingMessage, response: ServerResponse) => void {
  trackCallers()
  const logger = log()
  const counters = metrics()
  // Starts at 0, because `increase` in Prometheus ignores a counter's first value, so an alert would miss the first 503.
  for (const route of CHECK_IN_ROUTES) counters?.requests.inc({ route, method: 'POST', status: 503 }, 0)
  const record = (incoming: IncomingMessage, response: ServerResponse, startedAt: number) => {
    const matched = routes.get(incoming)
    const route = matched?.route ?? pageRoute(incoming.url ?? '/')
    const rejection = getRejection(response)
    const handledId = matched?.requestId ?? response.getHeader('request-id')?.toString()
    const caller = handledId === undefined ? undefined : takeCaller(handledId)
    const requestId = rejection?.requestId ?? handledId
    const method = isMethod(incoming.method ?? '') ? String(incoming.method) : 'other'
    const status = rejection?.status ?? response.statusCode
    const elapsed = performance.now() - startedAt
    const ms = Math.round(elapsed * 10) / 10
    counters?.requests.inc({ route, method, status })
    counters?.durations.observe({ route }, elapsed / 1000)
    // Only requests with a valid key are stored.
    if (caller && requestId) {
      const { sellerId, keyId } = caller
      bufferRequest({ sellerId, keyId, requestId, at: new Date(Date.now() - elapsed), method, route, status, ms })
    }
    const line = {
      method,
      route,
      status,
      ms,
      requestId,
      seller: caller?.sellerId,
      key: caller?.keyId,
      ...(response.writableFinished ? {} : { cut: true }),
    }
    if (route.startsWith('/_next')) logger.debug(line, 'request')
    else logger.info(line, 'request')
  }
  return (incoming, response) => {
    const startedAt = performance.now()
    response.once('close', () => record(incoming, response, startedAt))
  }
}
