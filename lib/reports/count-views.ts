/** Counts the records in saved views for the sidebar. Counting has a time limit, and each query is counted at most once a minute. */
import { type SQL, sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import { type Database, database } from '@/db/client'
import { tableTotal } from '../listing/list-table'
import { pickPool } from '../listing/record-counts'
import { readSellerNumber } from '../listing/search-matches'
import type { TableQuery } from '../listing/table-query'
import { type TicketQuery, ticketTotal } from '../listing/ticket-table'
import { withinTime } from '../listing/within-time'
import { runReport } from './report-throttle'

/** How long a count is cached, in milliseconds. */
const TTL_MS = 60_000
/** How long a view is skipped if counting it took too long, in milliseconds. This leaves time for the other views. */
const FAILURE_TTL_MS = 10 * TTL_MS
/** The time limits for one view and for all views in a request, in milliseconds. Scanning a million records takes about 150 ms. */
const LIMITS = { viewMs: 500, allMs: 2_000 }
type Limits = typeof LIMITS

export type CountedView = {
  id: string
  /** The view's table and query string. Views with the same path share a count, even if they belong to different users. */
  path: string
  query: TableQuery | TicketQuery
}

/** The total is undefined if counting took too long. */
type Count = { total: number | undefined }

/** Cached counts by seller and path. */
const cache = new LRUCache<string, Count>({ max: 10_000, ttl: TTL_MS })

const cacheKey = (sellerId: string, { path }: CountedView) => `${sellerId} ${path}`

async function read(pool: Database, total: SQL, ms: number): Promise<number | undefined> {
  const [row] = (await withinTime(pool, ms, ({ rows }) => rows<{ total: number }>(sql`select ${total} as total`))) ?? []
  return row?.total
}

/** Counts the records in a view. Returns undefined if that takes longer than `ms` milliseconds. */
async function countView(sellerId: string, { query }: CountedView, ms: number): Promise<number | undefined> {
  if (!('resource' in query)) return read(database(), ticketTotal(query), ms)
  const pool = await pickPool([query.resource], sellerId)
  return read(pool, tableTotal(query, await readSellerNumber(pool, sellerId)), ms)
}

/** Counts views one after another, and skips those that would exceed the time limit. Returns the counts by view ID. */
async function countAll(sellerId: string, views: readonly CountedView[], { viewMs, allMs }: Limits): Promise<Map<string, Count>> {
  const counts = new Map<string, Count>()
  const until = performance.now() + allMs - viewMs
  for (const view of views) {
    const key = cacheKey(sellerId, view)
    // Another request may have counted the view while this request waited.
    let count = cache.get(key)
    if (!count) {
      if (performance.now() > until) continue
      count = { total: await countView(sellerId, view, viewMs) }
      cache.set(key, count, { ttl: count.total === undefined ? FAILURE_TTL_MS : TTL_MS })
    }
    counts.set(view.id, count)
  }
  return counts
}

/**
 * Returns the number of records in each view, by view ID. Omits views that could not be counted in time.
 *
 * @throws {UnavailableError} if too many reports are waiting, or this one waits too long
 */
export async function countViews(sellerId: string, views: readonly CountedView[], limits = LIMITS): Promise<Record<string, number>> {
  // All cached counts are read first, because they can expire while other views are counted.
  const cached = new Map(views.map((view) => [view.id, cache.get(cacheKey(sellerId, view))]))
  const others = views.filter(({ id }) => !cached.get(id))
  const counted = others.length > 0 ? await runReport(sellerId, () => countAll(sellerId, others, limits)) : []
  return Object.fromEntries([...cached, ...counted].flatMap(([id, count]) => (count?.total === undefined ? [] : [[id, count.total]])))
}
