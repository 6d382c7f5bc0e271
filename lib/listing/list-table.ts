/** Lists the records of a dashboard table: a keyset page in the table's order, with the exact total. */
import { type SQL, sql } from 'drizzle-orm'
import { type Connection, type Database, readPool } from '@/db/client'
import { ApiError } from '../core/errors'
import { requireOrder } from './created-range'
import { type Direction, keyset, orderBy } from './keyset'
import { listRecords } from './list-records'
import { positionOf } from './position-and-counts'
import { replicationState } from './record-counts'
import { partitionOf, readSellerNumber } from './search-matches'
import { type Facets, totalOf, withFacets } from './table-facets'
import { asListQuery, readDirection, type TableQuery, tableConditions } from './table-query'

/** The number of records that are counted before a page is sent. */
const QUICK = 10_000

export type TablePage = {
  /** Records as JSON, in the table's order. */
  records: Buffer[]
  total: number
  hasPrevious: boolean
  hasNext: boolean
  /** Undefined if the page was read without them. */
  facets?: Facets
}

/** Returns what a table is sorted by before the date, or undefined if only by the date. */
function sortValue({ sort }: TableQuery): SQL | undefined {
  if (sort === 'amount') return sql`text.amount`
  if (sort === 'uses') return sql`text.uses`
  return sort === 'customer' ? sql`desk_customer_key(text.names, text.text)` : undefined
}

/** The place of a record in the table's order. Records without a value are last in both directions. */
type Place = { isLast: boolean; row: SQL }

/** Returns the order columns of the records with a value, or of those without one. */
function orderOf(value: SQL | undefined): [SQL, ...SQL[]] {
  const rest: [SQL, SQL] = [sql`text.created_at`, sql`text.id`]
  return value ? [value, ...rest] : rest
}

/** Reads the place of the cursor from the compact table, where a record that no longer matches the filters still has one. */
async function findPlace({ rows }: Connection, query: TableQuery, number: number, cursor: string): Promise<Place> {
  const value = sortValue(query)
  const stored = sql`from ${partitionOf(query.resource, number)} as text where text.seller = ${number}::int and text.id = decode(${cursor}, 'hex')`
  const [found] = await rows<{ isLast: boolean }>(sql`select ${value ? sql`${value} is null` : sql`false`} as "isLast" ${stored}`)
  if (!found) {
    const message = `No ${query.resource.label.one.toLowerCase()} with id '${cursor}'. Use the id of the first or last record of a previous page.`
    throw new ApiError('resource_missing', message, query.direction === 'newer' ? 'ending_before' : 'starting_after')
  }
  const columns = orderOf(found.isLast ? undefined : value)
  return { isLast: found.isLast, row: sql`(select ${sql.join(columns, sql`, `)} ${stored})` }
}

/** Selects the IDs of a page and of the record after it, with their positions `at` in reading order. */
function pageIds(query: TableQuery, number: number, place: Place | undefined): SQL {
  const value = sortValue(query)
  const direction = readDirection(query)
  const part = (isLast: boolean, cursor: SQL | undefined) => {
    const has = value ? sql` and ${value} is ${isLast ? sql`null` : sql`not null`}` : sql``
    const page = keyset({
      from: sql`${partitionOf(query.resource, number)} as text`,
      order: orderOf(isLast ? undefined : value),
      where: sql`${tableConditions(query, number)}${has}`,
      cursor,
      direction,
      limit: query.limit + 1,
    })
    return sql`select encode(part.id, 'hex') as id, row_number() over () as at from (select text.id ${page}) as part`
  }
  const sections = value ? [false, true] : [false]
  // Reading on from a record with a value reaches those without one, and the other way round.
  const inOrder = query.direction === 'newer' ? sections.reverse() : sections
  const parts = inOrder.slice(inOrder.indexOf(place?.isLast ?? false)).map((isLast, at) => {
    const ids = part(isLast, at === 0 ? place?.row : undefined)
    return sql`select ${sql.raw(String(at))} as part, section.* from (${ids}) as section`
  })
  return sql`select id, row_number() over () as at from (
    ${sql.join(parts, sql` union all `)} order by part, at limit ${query.limit + 1}) as sections`
}

async function readPage(query: TableQuery): Promise<TablePage> {
  const { resource, sellerId, cursor, direction, limit } = query
  const { table } = resource
  const pool = await readPool(() => replicationState([resource], sellerId))
  const number = await readSellerNumber(pool, sellerId)
  return pool.use(async (connection) => {
    const place = cursor === undefined ? undefined : await findPlace(connection, query, number, cursor)
    const { facets, rows } = await withFacets(
      connection,
      query,
      number,
      (facts) => sql`
        select facts.*, page.record from (select ${facts}) as facts left join (
          select wanted.at, found.record from (${pageIds(query, number, place)}) as wanted cross join lateral (
            select ${table.record}::text as record from ${table} where ${table.sellerId} = ${sellerId} and ${table.id} = wanted.id limit 1
          ) as found
        ) as page on true order by page.at`,
    )
    const found = rows.flatMap(([record]) => (record ? [record] : []))
    if (found.length === 0) await requireOrder(connection, query)
    const hasMore = found.length > limit
    const records = found.slice(0, limit)
    const isBackward = direction === 'newer'
    return {
      records: isBackward ? records.reverse() : records,
      total: totalOf(query, facets),
      hasPrevious: isBackward ? hasMore : cursor !== undefined,
      hasNext: isBackward ? true : hasMore,
      facets,
    }
  })
}

/**
 * Returns a page of a table.
 *
 * @throws the same errors as `listRecords`
 */
export async function listTable(query: TableQuery): Promise<TablePage> {
  const list = asListQuery(query)
  if (!list) return readPage(query)
  const { rows, total, hasNewer, hasOlder } = await listRecords(list)
  return query.isAscending
    ? { records: rows.reverse(), total, hasPrevious: hasOlder, hasNext: hasNewer }
    : { records: rows, total, hasPrevious: hasNewer, hasNext: hasOlder }
}

/** Returns the IDs of the records before (`newer`) and after (`older`) a record in the table's order, or null if there is none. */
export async function tableNeighbors(query: TableQuery, id: string): Promise<{ newer: string | null; older: string | null }> {
  const pool = await readPool(() => replicationState([query.resource], query.sellerId))
  const number = await readSellerNumber(pool, query.sellerId)
  return pool.use(async (connection) => {
    const place = await findPlace(connection, query, number, id)
    // A page has one record more than its limit.
    const next = (direction: Direction) => sql`(select id from (${pageIds({ ...query, direction, limit: 0 }, number, place)}) as page)`
    const [found] = await connection.rows<{ newer: string | null; older: string | null }>(
      sql`select ${next('newer')} as newer, ${next('older')} as older`,
    )
    return found ?? { newer: null, older: null }
  })
}

/** Returns the IDs of all records that a table contains, as 12 bytes each, in its order. */
export async function readTableIds(pool: Database, query: TableQuery): Promise<Buffer> {
  const number = await readSellerNumber(pool, query.sellerId)
  const value = sortValue(query)
  const order = sql`${value ? sql`${value} is null, ` : sql``}${orderBy(orderOf(value), query.isAscending ? 'newer' : 'older')}`
  const [row] = await pool.use(({ rows }) =>
    rows<{ ids: string | null }>(sql`
      select encode(string_agg(text.id, ''::bytea order by ${order}), 'hex') as ids
      from ${partitionOf(query.resource, number)} as text where ${tableConditions(query, number)}`),
  )
  return Buffer.from(row?.ids ?? '', 'hex')
}

/** Returns how many records come before one in the table's order. */
async function countBefore(query: TableQuery, id: string): Promise<number> {
  const pool = await readPool(() => replicationState([query.resource], query.sellerId))
  const number = await readSellerNumber(pool, query.sellerId)
  const value = sortValue(query)
  const from = sql`from ${partitionOf(query.resource, number)} as text where ${tableConditions(query, number)}`
  return pool.use(async (connection) => {
    const { isLast, row } = await findPlace(connection, query, number, id)
    const order = sql.join(orderOf(isLast ? undefined : value), sql`, `)
    const before = sql`(${order}) ${query.isAscending ? sql`<` : sql`>`} ${row}`
    const condition = !value ? before : isLast ? sql`(${value} is not null or ${before})` : sql`${value} is not null and ${before}`
    const [counted] = await connection.rows<{ before: number }>(sql`select count(*)::int as before ${from} and ${condition}`)
    return counted?.before ?? 0
  })
}

/**
 * Counts the records before the query's cursor in the table's order, of which it reads no more than it counts, apart from those that the filters
 * leave out.
 *
 * @param max the number at which counting stops
 * @throws {ApiError} `resource_missing` if the cursor is no record of this seller
 */
export async function countPreceding(query: TableQuery & { cursor: string }, max: number): Promise<number> {
  const pool = await readPool(() => replicationState([query.resource], query.sellerId))
  const number = await readSellerNumber(pool, query.sellerId)
  return pool.use(async (connection) => {
    const place = await findPlace(connection, query, number, query.cursor)
    const ids = pageIds({ ...query, direction: 'newer', limit: max - 1 }, number, place)
    const [counted] = await connection.rows<{ count: number }>(sql`select count(*)::int as count from (${ids}) as preceding`)
    return counted?.count ?? 0
  })
}

/**
 * Returns the position of a record in its table, from 1, or undefined if more records come before it than can be counted quickly.
 *
 * @param id the ID of a record of this seller, which does not need to match the filters
 * @param limit as in `positionOf`
 */
export async function tablePosition(query: TableQuery, total: number, id: string, limit?: number): Promise<number | undefined> {
  const list = asListQuery(query)
  if (!list) return total > QUICK && limit === undefined ? undefined : (await countBefore(query, id)) + 1
  const position = await positionOf({ ...list, direction: 'older' }, id, limit)
  return position === undefined || !query.isAscending ? position : total - position + 1
}
