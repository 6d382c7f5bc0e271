/** Reads a dashboard table: keyset pages in the table's order with the exact total, and the positions of its records. */
import { type SQL, sql } from 'drizzle-orm'
import type { Connection, Database } from '@/db/client'
import { requireOrderedBounds } from './created-range'
import { type Page, toPage } from './keyset'
import { type ListQuery, recordRows } from './list-query'
import { listRecords } from './list-records'
import { pickPool, recordTotal } from './record-counts'
import { getPartition, matchesNear, readSellerNumber } from './search-matches'
import { countUpTo, findCursor, neighborIds, pageIds, readIds, rowPosition, type SortedRows } from './sorted-rows'
import { countFiltered, type Facets, withFacets } from './table-facets'
import { asListQuery, compactRowCondition, type TableQuery, tableConditions } from './table-query'

/** In tables with more records than this, a record's position is not counted before the page is sent. */
const MAX_COUNTED_BEFORE_PAGE = 10_000

/** A page of records as JSON. */
export type TablePage = Page<Buffer> & {
  total: number
  /** Undefined if the page was read as an API list, which does not count them. */
  facets?: Facets
}

/** Returns the table's first sort key, or undefined if it is sorted by date only. */
function sortValue({ sort }: TableQuery): SQL | undefined {
  if (sort === 'amount') return sql`text.amount`
  if (sort === 'uses') return sql`text.uses`
  return sort === 'customer' ? sql`desk_customer_key(text.names, text.text)` : undefined
}

/** Describes how to read a dashboard table's rows from the compact table. @param number the seller's number */
const sortedRows = (query: TableQuery, number: number): SortedRows => ({
  from: sql`${getPartition(query.resource, number)} as text`,
  isOwn: sql`text.seller = ${number}::int`,
  where: tableConditions(query, number),
  value: sortValue(query),
  isAscending: query.isAscending,
  isRecord: (id) => compactRowCondition(query, sql`= ${id}`),
  hasByteIds: true,
  recordName: query.resource.label.one.toLowerCase(),
})

/** Runs statements that read the table's rows. `run` also receives the seller's number. */
async function withRows<T>(query: TableQuery, run: (connection: Connection, rows: SortedRows, number: number) => Promise<T>): Promise<T> {
  const pool = await pickPool([query.resource], query.sellerId)
  const number = await readSellerNumber(pool, query.sellerId)
  return pool.use((connection) => run(connection, sortedRows(query, number), number))
}

function readPage(query: TableQuery): Promise<TablePage> {
  const { resource, sellerId, cursor } = query
  const { table } = resource
  return withRows(query, async (connection, sorted, number) => {
    const position = cursor === undefined ? undefined : await findCursor(connection, sorted, { ...query, cursor })
    const { facets, rows } = await withFacets(
      connection,
      query,
      number,
      (facets) => sql`
        select facets.*, page.record from (${facets}) as facets left join (
          select wanted.nth, found.record from (${pageIds(sorted, query, position)}) as wanted cross join lateral (
            select ${table.record} as record from ${table} where ${table.sellerId} = ${sellerId} and ${table.id} = wanted.id limit 1
          ) as found
        ) as page on true order by page.nth`,
    )
    const found = rows.flatMap(([record]) => (record ? [record] : []))
    if (found.length === 0) await requireOrderedBounds(connection, query)
    return { ...toPage(found, query), total: countFiltered(query, facets), facets }
  })
}

/** Returns a page of a table. @throws the same errors as `listChunks` */
export async function listTable(query: TableQuery): Promise<TablePage> {
  const list = asListQuery(query)
  if (!list) return readPage(query)
  const page = await listRecords(list)
  if (!query.isAscending) return page
  return { ...page, rows: page.rows.reverse(), hasPrevious: page.hasNext, hasNext: page.hasPrevious }
}

/** Returns a scalar subquery for the number of records in a table. @param number the seller's number */
export function tableTotal(query: TableQuery, number: number): SQL {
  const list = asListQuery({ ...query, sort: 'createdAt', isAscending: false })
  if (list && list.search === undefined && !list.created) return recordTotal(list)
  return sql`(select count(*)::int from ${getPartition(query.resource, number)} as text where ${tableConditions(query, number)})`
}

/** Returns the IDs of the records before and after a record in the table's order. */
export const tableNeighbors = (query: TableQuery, id: string) => withRows(query, (connection, rows) => neighborIds(connection, rows, id))

/** Returns the IDs of all records in a table, as 12 bytes each, in the table's order. */
export async function readTableIds(pool: Database, query: TableQuery): Promise<Buffer> {
  const number = await readSellerNumber(pool, query.sellerId)
  return pool.use((connection) => readIds(connection, sortedRows(query, number)))
}

/** Counts the records before the query's cursor in the table's order, up to `max`. @throws {ApiError} like `countUpTo` */
export const countPreceding = (query: TableQuery & { cursor: string }, max: number): Promise<number> =>
  withRows(query, (connection, rows) => countUpTo(connection, rows, query.cursor, max))

/** A limit that no list reaches. Counting all preceding records can take as long as counting a total. */
const NO_LIMIT = 2 ** 31 - 2
/** The number of records that can be counted in about two milliseconds. */
const NEAR = 10_000
/** The number of records that can be searched in a few milliseconds. */
const NEAR_SEARCHED = 2_000

/**
 * Returns the position of a record in an API list, or undefined if more than `max` records that match the filters come before it, whether
 * or not these records contain the search term.
 */
async function listPosition(query: ListQuery, id: string, max: number): Promise<number | undefined> {
  const { resource, sellerId, search } = query
  const newer: ListQuery = { ...query, cursor: id, direction: 'newer' }
  const filtered = sql`(select count(*)::int from (select id ${recordRows(newer, sql.raw(String(max + 1)))}) as newer)`
  const matching =
    search === undefined ? filtered : sql`(select count(*)::int from (${matchesNear({ ...newer, search }, max, max)}) as matching)`
  const pool = await pickPool([resource], sellerId)
  const [row] = await pool.query<{ filtered: number; matching: number }>(sql`select ${filtered} as filtered, ${matching} as matching`)
  return row && row.filtered <= max ? row.matching + 1 : undefined
}

/**
 * Returns the position of a record in its table, counted from 1. If the record has been deleted, returns undefined, except in API lists,
 * where the result may be wrong.
 *
 * @param total the total of the table
 * @param id the ID of a record of this seller, which does not need to match the filters, except in a table in ascending order of dates
 * @param options whether to return undefined if more records precede this one than can be counted within a few milliseconds
 */
export async function tablePosition(query: TableQuery, total: number, id: string, { isQuick = false } = {}): Promise<number | undefined> {
  const list = asListQuery(query)
  if (!list || (list.search !== undefined && !isQuick)) {
    if (isQuick && total > MAX_COUNTED_BEFORE_PAGE) return undefined
    return withRows(query, (connection, rows) => rowPosition(connection, rows, id))
  }
  const max = !isQuick ? NO_LIMIT : list.search === undefined ? NEAR : NEAR_SEARCHED
  const position = await listPosition(list, id, max)
  return position === undefined || !query.isAscending ? position : total - position + 1
}
