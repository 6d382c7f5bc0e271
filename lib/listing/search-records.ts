/** Lists the records that contain a term, with the exact total. Finds IDs in the compact table of texts, then reads the records by key. */
import { type SQL, sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import { type Connection, type Database, STATEMENT_MS } from '@/db/client'
import { UnavailableError } from '@/db/unavailable'
import type { Resource } from '../catalog/resource'
import { ID_BYTES, splitIds } from '../core/object-id'
import { textArray } from '../core/sql'
import { toPage } from './keyset'
import { joinSecrets, type RecordChunks, type RecordPage, requireValid, toListQuery } from './list-query'
import { pickPool, recordTotal, versionToken } from './record-counts'
import {
  countByText,
  countByTrigrams,
  listFrequencyTexts,
  matchesByText,
  matchesByTrigrams,
  matchesNear,
  nextMatches,
  rareParts,
  readSellerNumber,
  recordsWithSummary,
  type SearchQuery,
  selectFrequencies,
} from './search-matches'
import { ONLY_TRIGRAMS, withinTime } from './within-time'

/**
 * The number of records next to the cursor that are searched first, which takes a few milliseconds. If the term is common, the matches
 * among them fill the page.
 */
const WINDOW = 2_000
/**
 * The time limit of a trigram search, in milliseconds per million records: about twice as long as scanning every text takes. The trigram
 * index is faster than the scan for terms contained in up to a sixth of the records.
 */
const TRIGRAMS_MS = { perMillion: 400, min: 100, max: 1_000 }

/**
 * The time limit of a search that reads every text, in milliseconds per million records: about four times as long as it usually takes. The
 * limit is at least `STATEMENT_MS`, and at most `max`.
 */
const SCAN_MS = { perMillion: 800, max: 10_000 }

/** The share of records below which a term's matches are counted with the trigram index, which is then probably faster than a scan. */
const UNCOMMON = 0.1

/** A trigram is looked up in the index if at most `share` of the newest `window` records contain it. */
const RARE = { window: 200, share: 0.25 }

type SearchTotal = {
  /** The version token at the time the matches were counted. The total is valid until the token changes. */
  version: string
  total: number
  /** The IDs of all matches, newest first, if they are few enough. */
  ids?: Buffer
}

/** The maximum number of IDs in a cached total. A term with more matches is so common that its pages are found next to the cursor. */
const MAX_IDS = 50_000
/** Cached totals, some with the IDs of the matches; at most 32 MiB. */
const cache = new LRUCache<string, SearchTotal>({
  max: 1_000,
  maxSize: 32 * 1024 * 1024,
  sizeCalculation: ({ ids }) => 200 + (ids?.length ?? 0),
})

const cacheKey = ({ sellerId, resource, status, pageId, created, search, withNames }: SearchQuery) =>
  JSON.stringify([sellerId, resource.name, status, pageId, created, search, withNames])

/** Values read in the same statement as the matches near the cursor, and therefore from the same snapshot. */
type NearSummary = {
  version: string
  /** The number of records that match the filters except the date filters, whether or not they contain the term. */
  filtered: number
  /** The total number of records. A scan reads the texts of all of them, regardless of the filters. */
  all: number
  /** The number of matches near the cursor, up to a limit. */
  near: number
}

/** The records of a page, and values that were read in the same statement. */
type RecordsWithSummary<F> = { summary: F; records: RecordChunks[] }

/** Runs a statement from `recordsWithSummary`. */
async function read<F>({ bytes }: Connection, statement: SQL, toSummary: (columns: string[]) => F): Promise<RecordsWithSummary<F>> {
  const rows = await bytes(statement, {})
  const [first] = rows
  if (!first) throw new Error('The search returned no row with its version and count.')
  return { summary: toSummary(first.slice(2).map(String)), records: first[0] ? rows.map(joinSecrets) : [] }
}

/** Returns the IDs of a page and of the next match in its direction, newest first. Returns undefined if the cursor is not among the IDs. */
function sliceIds(ids: Buffer, { cursor, direction, limit }: SearchQuery): string[] | undefined {
  // The index of the cursor, where the page begins. Without a cursor, it is before the first ID or after the last one.
  let index = direction === 'newer' ? ids.length / ID_BYTES : -1
  if (cursor !== undefined) {
    const id = Buffer.from(cursor, 'hex')
    let offset = ids.indexOf(id)
    // A byte sequence that spans two adjacent IDs can equal the cursor's ID.
    while (offset % ID_BYTES > 0) offset = ids.indexOf(id, offset + 1)
    if (offset === -1) return undefined
    index = offset / ID_BYTES
  }
  const [from, to] = direction === 'newer' ? [Math.max(0, index - limit - 1), index] : [index + 1, index + limit + 2]
  return splitIds(ids.subarray(from * ID_BYTES, to * ID_BYTES))
}

/** Reads a page of a search from the cached matches. Returns undefined if they do not contain the page or are outdated. */
async function readCachedPage(pool: Database, query: SearchQuery, { ids, version, total }: SearchTotal): Promise<RecordPage | undefined> {
  const page = ids && sliceIds(ids, query)
  if (!page) return undefined
  const statement = recordsWithSummary(query, sql`${versionToken(query)} as version`, sql`select unnest(${textArray(page)}) as id`)
  const { summary, records } = await pool.use((connection) => read(connection, statement, ([now]) => ({ version: now })))
  return summary.version === version ? { ...toPage(records, query), total } : undefined
}

/**
 * Reads a page of the matches near the cursor. The page is complete if the matches fill it, or if the window reaches the end of the list.
 *
 * @param limit the maximum number of matches to count
 */
function readNear(connection: Connection, query: SearchQuery, limit: number): Promise<RecordsWithSummary<NearSummary>> {
  const all = { ...query, status: undefined, pageId: undefined }
  const summary = sql`
    ${versionToken(query)} as version, ${recordTotal(query)} as filtered, ${recordTotal(all)} as all_records, (select count(*)::int from near) as near`
  const page = recordsWithSummary(query, summary, sql`select id from near limit ${query.limit + 1}`)
  const statement = sql`with near as materialized (${matchesNear(query, WINDOW, limit)}) ${page}`
  return read(connection, statement, ([version = '', ...counts]) => {
    const [filtered = 0, all = 0, near = 0] = counts.map(Number)
    return { version, filtered, all, near }
  })
}

/** Values read in the same statement as the page. `ids` is empty if there are too many matches to cache. */
type MatchSummary = { version: string; total: number; ids: Buffer }

/** Reads a page of all matches, and the IDs of all matches if they are few enough. @param matches selects all matches */
function readFrom(connection: Connection, query: SearchQuery, matches: SQL): Promise<RecordsWithSummary<MatchSummary>> {
  const total = sql`(select total from counted)`
  const ids = sql`array_to_string(array(select encode(id, 'hex') from match order by created_at desc, id desc), '')`
  // A CASE evaluates a subquery only if it is needed.
  const summary = sql`${versionToken(query)} as version, ${total} as total, case when ${total} <= ${sql.raw(String(MAX_IDS))} then ${ids} else '' end as ids`
  const statement = sql`
    with match as materialized (${matches}), counted as materialized (select count(*)::int as total from match)
    ${recordsWithSummary(query, summary, nextMatches(query))}`
  return read(connection, statement, ([version = '', total, ids = '']) => ({ version, total: Number(total), ids: Buffer.from(ids, 'hex') }))
}

/** Returns the parts of the term to look up in the trigram index. Their rarity is estimated from the newest records. */
async function readRareParts(pool: Database, query: SearchQuery): Promise<string[]> {
  const texts = listFrequencyTexts(query.search)
  if (texts.length === 0) return []
  const statement = selectFrequencies(query, texts, RARE.window)
  const [sample] = await pool.query<{ rows: number; counts: string }>(statement)
  const counts = JSON.parse(sample?.counts ?? '[]') as number[]
  const maxCount = (sample?.rows ?? 0) * RARE.share
  return rareParts(query.search, (text) => (counts[texts.indexOf(text)] ?? Number.POSITIVE_INFINITY) <= maxCount)
}

/**
 * Runs a statement with only the trigram index enabled, and with a time limit. Returns undefined if the term has no trigram or the limit is
 * exceeded.
 *
 * @param all the total number of records
 * @param run runs the statement, given the parts of the term to look up
 */
async function runByTrigrams<T>(
  pool: Database,
  query: SearchQuery,
  all: number,
  run: (connection: Connection, parts: string[]) => Promise<T>,
): Promise<T | undefined> {
  const parts = await readRareParts(pool, query)
  if (parts.length === 0 && !/[\p{L}\p{N}]{3}/u.test(query.search)) return undefined
  const { perMillion, min, max } = TRIGRAMS_MS
  const ms = Math.min(max, Math.max(min, (all * perMillion) / 1_000_000))
  return withinTime(pool, ms, (connection) => run(connection, parts), ONLY_TRIGRAMS)
}

/**
 * Runs a statement that reads every text. With millions of records, it is allowed to take longer than other statements.
 *
 * @param all the total number of records
 * @throws {UnavailableError} `statement_timeout`
 */
async function runByText<T>(pool: Database, all: number, run: (connection: Connection) => Promise<T>): Promise<T> {
  const ms = Math.min(SCAN_MS.max, (all * SCAN_MS.perMillion) / 1_000_000)
  if (ms <= STATEMENT_MS) return pool.use(run)
  const found = await withinTime(pool, ms, run)
  if (found === undefined) throw new UnavailableError(`A search took longer than ${ms} ms.`, { code: 'statement_timeout' })
  return found
}

/** Reads a page of all matches, with the trigram index or, if that fails, with a scan. @param all the total number of records */
async function readAll(pool: Database, query: SearchQuery, all: number): Promise<RecordsWithSummary<MatchSummary>> {
  const number = await readSellerNumber(pool, query.sellerId)
  const found = await runByTrigrams(pool, query, all, (connection, parts) =>
    readFrom(connection, query, matchesByTrigrams(query, number, parts)),
  )
  if (found) return found
  return runByText(pool, all, (connection) => readFrom(connection, query, matchesByText(query, number)))
}

/**
 * Returns the newest records that contain a term, without a total, for suggestions as the user types.
 *
 * @param limit at most 100
 */
export async function newestMatches(resource: Resource, sellerId: string, search: string, limit: number): Promise<Buffer[]> {
  const query = { ...toListQuery(resource, sellerId, { limit }), withNames: true, search }
  const pool = await pickPool([resource], sellerId)
  const near = await pool.use((connection) => readNear(connection, query, limit + 1))
  const isComplete = near.records.length >= limit || near.summary.filtered <= WINDOW
  const { records } = isComplete ? near : await readAll(pool, query, near.summary.all)
  return records.slice(0, limit).map((chunks) => Buffer.concat(chunks))
}

/**
 * Counts every match, and reads the version in the same statement.
 *
 * @param all the total number of records
 * @param isUncommon whether the term is so rare that the trigram index is probably faster than a scan
 */
async function countAll(pool: Database, query: SearchQuery, all: number, isUncommon: boolean): Promise<SearchTotal> {
  const count = async ({ rows }: Connection, total: SQL) =>
    (await rows<SearchTotal>(sql`select ${versionToken(query)} as version, ${total} as total`))[0]
  const number = await readSellerNumber(pool, query.sellerId)
  const countedByTrigrams = isUncommon
    ? await runByTrigrams(pool, query, all, (connection, parts) => count(connection, countByTrigrams(query, number, parts)))
    : undefined
  const counted = countedByTrigrams ?? (await runByText(pool, all, (connection) => count(connection, countByText(query, number))))
  if (!counted) throw new Error('The count returned no row.')
  return counted
}

/** The counts in progress, by cache key. */
const pendingCounts = new Map<string, Promise<SearchTotal>>()

/**
 * Counts every match, in the version of the page or a later one. Parallel requests share a count: either one that was already running and
 * counted the page's version, or one that started later. If the count fails, all of these requests fail, because separate counts would
 * wait for the same database.
 */
async function countMatches(
  pool: Database,
  query: SearchQuery,
  key: string,
  { version, filtered, all, near }: NearSummary,
): Promise<SearchTotal> {
  const running = pendingCounts.get(key)
  if (running) {
    const counted = await running
    if (counted.version === version) return counted
    const later = pendingCounts.get(key)
    if (later) return later
  }
  // An outdated total is a better estimate than the matches near the cursor.
  const expected = cache.get(key)?.total ?? (near / WINDOW) * filtered
  const counting = countAll(pool, query, all, expected < filtered * UNCOMMON)
    .then((counted) => {
      cache.set(key, counted)
      return counted
    })
    .finally(() => {
      if (pendingCounts.get(key) === counting) pendingCounts.delete(key)
    })
  pendingCounts.set(key, counting)
  return counting
}

/**
 * Returns a page of the records that contain a term. A cached total is used until a record of the resource changes. If no total is cached
 * and the records near the cursor fill the page, the matches are counted after the page is read, in a later snapshot.
 *
 * @param pool the result of `pickPool`
 * @throws the same errors as `listChunks`
 */
export async function searchRecords(pool: Database, query: SearchQuery): Promise<RecordPage> {
  const { cursor, limit } = query
  const key = cacheKey(query)
  const cached = cache.get(key)
  const page = cached && (await readCachedPage(pool, query, cached))
  if (page) return page

  const { summary, records } = await pool.use(async (connection) => {
    // If there is not even an outdated total, the matches near the cursor determine how all matches are counted.
    const near = await readNear(connection, query, cached ? limit + 1 : WINDOW * UNCOMMON)
    if (near.records.length === 0) await requireValid(connection, query)
    return near
  })
  if (records.length > limit || summary.filtered <= WINDOW) {
    // A parallel request may have counted the matches in the meantime.
    const latest = cache.get(key)
    if (latest?.version === summary.version) return { ...toPage(records, query), total: latest.total }
    if (cursor !== undefined || records.length > limit)
      return { ...toPage(records, query), total: (await countMatches(pool, query, key, summary)).total }
    // The first page contains every match, so there is nothing to count.
    cache.set(key, { version: summary.version, total: records.length })
    return { ...toPage(records, query), total: records.length }
  }

  const found = await readAll(pool, query, summary.all)
  const { version, total, ids } = found.summary
  cache.set(key, { version, total, ...(total <= MAX_IDS && { ids }) })
  return { ...toPage(found.records, query), total }
}
