/** Builds queries for lists of records, with their conditions and cursors, and combines the JSON in the resulting rows. */
import { and, eq, type Placeholder, type SQL, sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import type { Connection, Values } from '@/db/client'
import { type ListParams, PAGE_SIZE } from '../catalog/list-params'
import type { Resource } from '../catalog/resource'
import { type CreatedRange, createdCondition, toCreatedRange } from './created-range'
import { type Direction, keyset, type Page, readCursor, requireValidPage } from './keyset'

/** A value, or a placeholder for a value in a prepared statement. */
export type SqlValue = string | Placeholder

export type ListFilters<Value = string> = {
  resource: Resource
  /** The seller whose records are listed. Every query is restricted to one seller. */
  sellerId: Value
  status?: Value | undefined
  pageId?: Value | undefined
  created?: CreatedRange<Value> | undefined
}

export type ListQuery<Value = string> = ListFilters<Value> & {
  search?: string | undefined
  /** Whether to search like the dashboard: each word can be anywhere in a searched member or a name, and accents in names are ignored. */
  withNames?: boolean
  /** Whether to include the members in `Resource.secrets`. */
  withSecrets: boolean
  cursor?: Value | undefined
  direction: Direction
  limit: number
}

// Not specified: the meaning of `total` and `has_more`.
/** A page of records as JSON. Chunks avoid copying: for a page of 100 records, large allocations cause most garbage collection. */
export type RecordPage = Page<RecordChunks> & {
  /** The number of records on all pages. */
  total: number
}

/** Builds a list query from parameters parsed by `listParams`. */
export function toListQuery(resource: Resource, sellerId: string, params: ListParams, withSecrets = false): ListQuery {
  const { limit, search, status, pageId } = params
  const created = toCreatedRange(params)
  return { resource, sellerId, withSecrets, limit, search, status, pageId, created, ...readCursor(params) }
}

/** Returns the conditions for the seller and the filters, without the search term. */
export function filterConditions(filters: ListFilters<SqlValue>): SQL {
  const { sellerId, status, pageId } = filters
  const { table } = filters.resource
  const conditions = [eq(table.sellerId, sellerId)]
  if (status !== undefined && 'status' in table) conditions.push(eq(table.status, status))
  if (pageId !== undefined && 'pageId' in table) conditions.push(eq(table.pageId, pageId))
  return sql`${and(...conditions, createdCondition(table.createdAt, filters))}`
}

/**
 * Returns the FROM and WHERE clauses that find the cursor's record. It is looked up only by seller and ID, so that a record that no longer
 * matches the filters still works as a cursor.
 */
const cursorRecord = ({ resource: { table }, sellerId, cursor }: ListQuery<SqlValue>): SQL =>
  sql`from ${table} where ${table.sellerId} = ${sellerId} and ${table.id} = ${cursor}`

/** Returns the cursor's position in the list. */
function cursorRow(query: ListQuery<SqlValue>): SQL | undefined {
  const { createdAt, id } = query.resource.table
  return query.cursor === undefined ? undefined : sql`(select ${createdAt}, ${id} ${cursorRecord(query)})`
}

// Not specified: the order of records with equal timestamps, and which cursors are valid.
/** Returns the keyset query for the rows after the cursor. @param cursor a row of `createdAt` and `id`; by default, the query's cursor */
export function recordRows(query: ListQuery<SqlValue>, limit: SQL, cursor = cursorRow(query)): SQL {
  const { table } = query.resource
  const { direction } = query
  return keyset({ from: table, order: [table.createdAt, table.id], where: filterConditions(query), cursor, direction, limit })
}

/**
 * Returns the columns `record` and `secrets`, which `joinSecrets` joins. They are not cast to text, because a cast would copy them twice.
 */
export function recordColumns({ resource: { table, secrets }, withSecrets }: Pick<ListQuery, 'resource' | 'withSecrets'>): SQL {
  return sql`${table.record} as record, ${withSecrets && secrets.length > 0 ? table.secrets : sql`null::json`} as secrets`
}

/**
 * Cached statements, by the shape of the query. Building a statement takes a tenth of a request's time. With date filters, there are
 * thousands of shapes.
 */
const statements = new LRUCache<string, SQL>({ max: 1_000 })

/**
 * Returns a cached statement that reads a page and other columns, such as its total, in one snapshot. Its first columns are those of
 * `recordColumns`.
 *
 * @param name what `select` depends on in addition to the query
 * @param select returns the other columns, given the query with placeholders for its values
 */
export function pageStatement(query: ListQuery, name: string, select: (query: ListQuery<SqlValue>) => SQL): SQL {
  const { resource, withSecrets, status, pageId, created, cursor, direction } = query
  const dates = created?.map(({ name, isDate }) => name + isDate)
  const shape = [
    resource.name,
    withSecrets,
    status !== undefined,
    pageId !== undefined,
    dates,
    cursor !== undefined,
    direction,
    name,
  ].join()
  const cached = statements.get(shape)
  if (cached) return cached
  const bound = {
    ...query,
    sellerId: sql.placeholder('sellerId'),
    status: status && sql.placeholder('status'),
    pageId: pageId && sql.placeholder('pageId'),
    created: created?.map((bound, i) => ({ ...bound, value: sql.placeholder(`created${i}`) })),
    cursor: cursor && sql.placeholder('cursor'),
  }
  // The constant inner limit tells the planner that few rows are needed, even in a generic plan for any limit.
  const rows = recordRows(bound, sql.raw(String(PAGE_SIZE.max + 1)))
  const statement = sql`
    select page.*, ${select(bound)} from (select ${recordColumns(query)} ${rows}) as page limit ${sql.placeholder('rows')}`
  statements.set(shape, statement)
  return statement
}

/** Returns the values of the placeholders in a `pageStatement`. */
export function pageValues({ sellerId, status, pageId, created, cursor, limit }: ListQuery): Values {
  return { sellerId, status, pageId, cursor, created0: created?.[0]?.value, created1: created?.[1]?.value, rows: limit + 1 }
}

const COMMA = Buffer.from(',')

/** The JSON of a record, in one or more chunks. */
export type RecordChunks = readonly Buffer[]

/** Combines the JSON of a record and of its secrets without parsing or copying either. @param row the columns of `recordColumns` */
export function joinSecrets([record, secrets]: readonly (Buffer | null)[]): RecordChunks {
  if (!record) throw new Error('The row has no record.')
  return secrets ? [record.subarray(0, -1), COMMA, secrets.subarray(1)] : [record]
}

/** Checks the cursor and the date filters of a query whose page is empty. @throws the same errors as `requireValidPage` */
export const requireValid = (connection: Connection, query: ListQuery): Promise<void> =>
  requireValidPage(connection, query, query.resource.label.one.toLowerCase(), cursorRecord(query))

/**
 * Returns the total of a list whose page is empty, and therefore has no row that contains the total.
 *
 * @param total a scalar subquery for the total
 * @throws the same errors as `requireValidPage`
 */
export async function readEmptyTotal(connection: Connection, query: ListQuery, total: SQL): Promise<number> {
  await requireValid(connection, query)
  // Without a cursor, the whole list is empty.
  if (query.cursor === undefined) return 0
  const [row] = await connection.rows<{ total: number }>(sql`select ${total} as total`)
  return row?.total ?? 0
}
