/** Lists a seller's records: a keyset page, newest first, and the exact total. Except in searches, both are from one snapshot. */
import { type SQL, sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import { type Database, readPool } from '@/db/client'
import { PAGE_SIZE } from '../catalog/list-params'
import { rangeTotals } from './created-range'
import {
  type ChunkPage,
  joinSecrets,
  type ListQuery,
  type RecordPage,
  recordColumns,
  recordRows,
  requireValid,
  toChunkPage,
} from './list-query'
import { rangeTotal, recordTotal, replicationState, versionToken } from './record-counts'
import { getPartition, PARTITIONS, readSellerNumber } from './search-matches'
import { searchRecords } from './search-records'

/**
 * Cached statements, by the shape of the query. Building a statement takes a tenth of a request's time. With date filters, there are
 * thousands of shapes.
 */
const statements = new LRUCache<string, SQL>({ max: 1_000 })

/**
 * Returns a statement that reads the page and its total in one snapshot. The columns are record, secrets, total and, if there is a date
 * range, version.
 *
 * @param number the seller's number, if there is a date range
 * @param isCounted whether to count the total of the date range; otherwise it is null. A statement that counts takes longer to start
 */
function pageStatement(query: ListQuery, number: number, isCounted: boolean): SQL {
  const { resource, withSecrets, status, pageId, created, cursor, direction } = query
  const range = created?.map(({ name, isDate }) => name + isDate)
  const partition = range && number % PARTITIONS
  const shape = [
    resource.name,
    withSecrets,
    status !== undefined,
    pageId !== undefined,
    cursor !== undefined,
    direction,
    range,
    partition,
    isCounted,
  ].join()
  const cached = statements.get(shape)
  if (cached) return cached
  const bound = {
    ...query,
    sellerId: sql.placeholder('sellerId'),
    status: status && sql.placeholder('status'),
    pageId: pageId && sql.placeholder('pageId'),
    created: created?.map((one, i) => ({ ...one, value: sql.placeholder(`created${i}`) })),
    cursor: cursor && sql.placeholder('cursor'),
  }
  const texts = { partition: getPartition(resource, number), number: sql.placeholder('number') }
  const total = created
    ? sql`${isCounted ? rangeTotal(bound, texts) : sql`null::int`} as total, ${versionToken(bound)} as version`
    : sql`${recordTotal(bound)} as total`
  // The constant inner limit tells the planner that few rows are needed, even in a generic plan for any limit.
  const rows = recordRows(bound, sql.raw(String(PAGE_SIZE.max + 1)))
  const statement = sql`
    select page.*, ${total} from (select ${recordColumns(query)} ${rows}) as page limit ${sql.placeholder('rows')}`
  statements.set(shape, statement)
  return statement
}

/** Reads of date-filtered lists in progress, by cache key. Any of them might be counting the list's total. */
const pendingReads = new Map<string, Promise<unknown>>()

/** Returns whether the cached total of a list with date filters is current. */
async function hasTotal(pool: Database, query: ListQuery, key: string): Promise<boolean> {
  const cached = rangeTotals.get(key)
  if (cached === undefined) return false
  const [row] = await pool.use(({ rows }) => rows<{ version: string }>(sql`select ${versionToken(query)} as version`))
  return row?.version === cached.version
}

/**
 * Reads a list with date filters. If a parallel request for the same list might be counting its total, waits for it first: otherwise, every
 * parallel request would count the same records, and load shedding would reject the requests that queue behind them.
 */
async function readAfterPendingCount(pool: Database, query: ListQuery, key: string, read: () => Promise<ChunkPage>): Promise<ChunkPage> {
  const first = pendingReads.get(key)
  if (first && !(await hasTotal(pool, query, key))) await first.catch(() => {})
  const own = read()
  if (pendingReads.has(key)) return own
  pendingReads.set(key, own)
  try {
    return await own
  } finally {
    pendingReads.delete(key)
  }
}

async function readPage(pool: Database, query: ListQuery, number: number, key: string | undefined): Promise<ChunkPage> {
  const { resource, created, cursor, limit } = query
  return pool.use(async (connection) => {
    const cached = key === undefined ? undefined : rangeTotals.get(key)
    const [created0, created1] = created ?? []
    const { sellerId, status, pageId } = query
    const values = {
      sellerId,
      status,
      pageId,
      cursor,
      number,
      created0: created0?.value,
      created1: created1?.value,
      rows: limit + 1,
    }
    const read = (isCounted: boolean) => connection.bytes(pageStatement(query, number, isCounted), values)
    let rows = await read(cached === undefined)
    if (cached && rows[0] && String(rows[0][3]) !== cached.version) rows = await read(true)
    const [, , counted, version] = rows[0] ?? []
    let total = Number(counted ?? (rows.length > 0 ? cached?.total : 0))
    if (key !== undefined && counted) rangeTotals.set(key, { version: String(version), total })
    // An empty page has no row with the total. Without a cursor, the list is empty; with a cursor, the total is read separately.
    if (rows.length === 0) {
      await requireValid(connection, query)
      if (cursor !== undefined) {
        const whole = created ? rangeTotal(query, { partition: getPartition(resource, number), number }) : recordTotal(query)
        const [row] = await connection.rows<{ total: number }>(sql`select ${whole} as total`)
        total = row?.total ?? 0
      }
    }
    return toChunkPage(query, rows.map(joinSecrets), total)
  })
}

/**
 * Returns a page of records as stored bytes, in pieces (docs/spec.md, "Shared list rules").
 *
 * @throws {ApiError} `resource_missing` if the cursor is not a record of this seller; `parameter_invalid` if the date range is reversed
 */
export async function listChunks(query: ListQuery): Promise<ChunkPage> {
  const { resource, sellerId, status, pageId, created, search } = query
  const pool = await readPool(() => replicationState([resource], sellerId))
  if (search !== undefined) return searchRecords(pool, { ...query, search })
  if (created === undefined) return readPage(pool, query, 0, undefined)
  const number = await readSellerNumber(pool, sellerId)
  const key = JSON.stringify([sellerId, resource.name, status, pageId, created])
  return readAfterPendingCount(pool, query, key, () => readPage(pool, query, number, key))
}

/** Returns the same page as `listChunks`, with each record as one buffer. */
export async function listRecords(query: ListQuery): Promise<RecordPage> {
  const page = await listChunks(query)
  return { ...page, rows: page.rows.map((chunks) => Buffer.concat(chunks)) }
}
