/** Keyset pagination: reads ordered, filtered rows on one side of a cursor. Lists, logs and most exports use it. */
import { and, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { Connection } from '@/db/client'
import { ApiError } from '../core/errors'
import { type RangeQuery, requireOrderedBounds } from './created-range'

/** The side of the cursor to read: older rows in descending order, or newer rows in ascending order. */
export type Direction = 'older' | 'newer'

/** Returns the cursor and the direction that a page's parameters specify. The cursor of the first page is undefined. */
export const readCursor = ({
  starting_after,
  ending_before,
}: {
  starting_after?: string | undefined
  ending_before?: string | undefined
}) => ({
  cursor: ending_before ?? starting_after,
  direction: ending_before === undefined ? ('older' as const) : ('newer' as const),
})

/**
 * Returns the error for a cursor that is not in the list.
 *
 * @param recordName the name of one record, such as "payment"
 * @param hint an additional sentence for the message
 */
export const missingCursorError = (recordName: string, cursor: string, direction: Direction, hint = '') =>
  new ApiError(
    'resource_missing',
    `No ${recordName} with id '${cursor}'.${hint} Use the id of the first or last record of a previous response.`,
    direction === 'newer' ? 'ending_before' : 'starting_after',
  )

/** The order columns, most significant first. Together they are unique, so that rows with equal timestamps have a defined order too. */
type OrderColumns = readonly [SQLWrapper, ...SQLWrapper[]]

type Keyset = {
  from: SQLWrapper
  order: OrderColumns
  where: SQL
  /** The cursor's values of the order columns, as a SQL row. If there is no cursor, the first page is read. */
  cursor?: SQL | undefined
  direction: Direction
  limit: number | SQLWrapper
}

const list = (parts: readonly SQLWrapper[]) => sql.join([...parts], sql`, `)

/** Returns the list of an ORDER BY clause: ascending for `newer`, descending for `older`. */
export const orderBy = (order: OrderColumns, direction: Direction): SQL =>
  list(order.map((column) => (direction === 'newer' ? sql`${column}` : sql`${column} desc`)))

/** Returns the condition that a row is after the cursor. The comparison in SQL preserves microseconds and the collation of IDs. */
const cursorCondition = ({ order, cursor, direction }: Pick<Keyset, 'order' | 'cursor' | 'direction'>): SQL | undefined =>
  cursor && sql`(${list(order)}) ${sql.raw(direction === 'newer' ? '>' : '<')} ${cursor}`

/** Returns the query, starting with its FROM clause. */
export const keyset = ({ from, where, limit, ...key }: Keyset): SQL =>
  sql`from ${from} where ${and(where, cursorCondition(key))} order by ${orderBy(key.order, key.direction)} limit ${limit}`

/**
 * Checks the cursor and the date filters of a query whose page is empty.
 *
 * @param stored the FROM and WHERE clauses that find the cursor's row
 * @param hint as in `missingCursorError`
 * @throws {ApiError} `resource_missing` if the cursor has no row; `parameter_invalid` if the date range is reversed
 */
export async function requireValidPage(
  connection: Connection,
  query: RangeQuery & { cursor?: string | undefined; direction: Direction },
  recordName: string,
  stored: SQL,
  hint?: string,
): Promise<void> {
  const { cursor, direction } = query
  await requireOrderedBounds(connection, query)
  if (cursor === undefined) return
  const found = await connection.rows(sql`select 1 ${stored}`)
  if (found.length === 0) throw missingCursorError(recordName, cursor, direction, hint)
}

export type Page<Row> = {
  /** In the list's order, such as newest first. */
  rows: Row[]
  /** Whether there are more rows in the direction that was read. */
  hasMore: boolean
  hasPrevious: boolean
  hasNext: boolean
}

/** Builds a page from the rows of a keyset query, which are in the query's order and include one row beyond the limit if there is one. */
export function toPage<Row>(
  found: Row[],
  { cursor, direction, limit }: { cursor?: unknown; direction: Direction; limit: number },
): Page<Row> {
  const hasMore = found.length > limit
  const hasCursor = cursor !== undefined
  const rows = found.slice(0, limit)
  if (direction === 'newer') return { rows: rows.reverse(), hasMore, hasPrevious: hasMore, hasNext: hasCursor }
  return { rows, hasMore, hasPrevious: hasCursor, hasNext: hasMore }
}
