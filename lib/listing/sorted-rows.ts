/** Reads rows that are sorted by a value and then by date: pages, positions and neighbors. Rows without a value are last in both orders. */
import { type SQL, sql } from 'drizzle-orm'
import type { Connection } from '@/db/client'
import { type Direction, keyset, missingCursorError, orderBy } from './keyset'

export type SortedRows = {
  /** The table, aliased `text`, with the columns `created_at` and `id`. */
  from: SQL
  /** The condition that a row belongs to the seller, which also applies to cursors. */
  isOwn: SQL
  /** The conditions for the listed rows, including `isOwn`. */
  where: SQL
  /** The first sort key; undefined if the rows are sorted by date only. */
  value: SQL | undefined
  isAscending: boolean
  /** Returns the condition that a row is the record with an ID. */
  isRecord(id: string): SQL
  /** Whether IDs are stored as bytes. */
  hasByteIds: boolean
  /** The name of one record, for error messages. */
  recordName: string
}

type Cursor = { cursor?: string | undefined; direction: Direction }

/** The position of a record in the sort order: its order columns, as a SQL row. Rows without a value come after all others. */
type CursorPosition = { hasNoValue: boolean; row: SQL }

const reverse = (direction: Direction): Direction => (direction === 'older' ? 'newer' : 'older')

/** Returns the keyset's direction for a page: `older` reads in descending order. @param direction the page's direction in its table */
export const readDirection = ({ isAscending }: Pick<SortedRows, 'isAscending'>, direction: Direction): Direction =>
  isAscending ? reverse(direction) : direction

/** Returns the order columns for rows with a value or, if `value` is undefined, for rows without one. */
function listOrderColumns(value: SQL | undefined): [SQL, ...SQL[]] {
  const rest: [SQL, SQL] = [sql`text.created_at`, sql`text.id`]
  return value ? [value, ...rest] : rest
}

/** Reads a record's position, even if it does not match the filters. Returns undefined if it is not a record of this seller. */
async function findRow({ rows: run }: Connection, rows: SortedRows, id: string): Promise<CursorPosition | undefined> {
  const { from, isOwn, value, isRecord } = rows
  const stored = sql`from ${from} where ${isOwn} and ${isRecord(id)}`
  const [found] = await run<{ hasNoValue: boolean }>(sql`select ${value ? sql`${value} is null` : sql`false`} as "hasNoValue" ${stored}`)
  if (!found) return undefined
  const columns = listOrderColumns(found.hasNoValue ? undefined : value)
  return { hasNoValue: found.hasNoValue, row: sql`(select ${sql.join(columns, sql`, `)} ${stored})` }
}

/**
 * Reads the cursor's position, even if its record no longer matches the filters.
 *
 * @throws {ApiError} `resource_missing` if the cursor is not a record of this seller
 */
export async function findCursor(
  connection: Connection,
  rows: SortedRows,
  { cursor, direction }: Cursor & { cursor: string },
): Promise<CursorPosition> {
  const found = await findRow(connection, rows, cursor)
  if (!found) throw missingCursorError(rows.recordName, cursor, direction)
  return found
}

/** Selects the IDs of a page and of the next row, with their positions `nth` in reading order. */
export function pageIds(
  rows: SortedRows,
  { direction, limit }: { direction: Direction; limit: number },
  position: CursorPosition | undefined,
): SQL {
  const { from, where, value, hasByteIds } = rows
  const part = (hasNoValue: boolean, cursor: SQL | undefined) => {
    const valueCondition = value ? sql` and ${value} is ${hasNoValue ? sql`null` : sql`not null`}` : sql``
    const page = keyset({
      from,
      order: listOrderColumns(hasNoValue ? undefined : value),
      where: sql`${where}${valueCondition}`,
      cursor,
      direction: readDirection(rows, direction),
      limit: limit + 1,
    })
    const id = hasByteIds ? sql`encode(part.id, 'hex')` : sql`part.id`
    return sql`select ${id} as id, row_number() over () as nth from (select text.id ${page}) as part`
  }
  const sections = value ? [false, true] : [false]
  // A page can continue from the rows with a value to those without one, and vice versa.
  const orderedSections = direction === 'newer' ? sections.reverse() : sections
  const parts = orderedSections.slice(orderedSections.indexOf(position?.hasNoValue ?? false)).map((hasNoValue, i) => {
    const ids = part(hasNoValue, i === 0 ? position?.row : undefined)
    return sql`select ${sql.raw(String(i))} as part, section.* from (${ids}) as section`
  })
  return sql`select id, row_number() over () as nth from (
    ${sql.join(parts, sql` union all `)} order by part, nth limit ${limit + 1}) as sections`
}

/** Returns a record's position in the sort order, counted from 1. Returns undefined if it is not, or no longer, a record of this seller. */
export async function rowPosition(connection: Connection, rows: SortedRows, id: string): Promise<number | undefined> {
  const { from, where, isOwn, value, isRecord, isAscending } = rows
  const found = await findRow(connection, rows, id)
  if (!found) return undefined
  const { hasNoValue, row } = found
  const order = sql.join(listOrderColumns(hasNoValue ? undefined : value), sql`, `)
  const before = sql`(${order}) ${isAscending ? sql`<` : sql`>`} ${row}`
  const condition = !value ? before : hasNoValue ? sql`(${value} is not null or ${before})` : sql`${value} is not null and ${before}`
  const [counted] = await connection.rows<{ before: number }>(sql`
    select (select count(*)::int from ${from} where ${where} and ${condition}) as before
    where exists (select from ${from} where ${isOwn} and ${isRecord(id)})`)
  return counted && counted.before + 1
}

/**
 * Counts the rows before a cursor. Reads only the rows that it counts and rows that the filters exclude.
 *
 * @param max the number at which counting stops
 * @throws the same errors as `findCursor`
 */
export async function countUpTo(connection: Connection, rows: SortedRows, cursor: string, max: number): Promise<number> {
  const position = await findCursor(connection, rows, { cursor, direction: 'newer' })
  const ids = pageIds(rows, { direction: 'newer', limit: max - 1 }, position)
  const [counted] = await connection.rows<{ count: number }>(sql`select count(*)::int as count from (${ids}) as preceding`)
  return counted?.count ?? 0
}

/** Returns the IDs of all rows, as 12 bytes each. */
export async function readIds(connection: Connection, { from, where, value, isAscending, hasByteIds }: SortedRows): Promise<Buffer> {
  const id = hasByteIds ? sql`text.id` : sql`decode(text.id, 'hex')`
  const order = sql`${value ? sql`${value} is null, ` : sql``}${orderBy(listOrderColumns(value), isAscending ? 'newer' : 'older')}`
  const [row] = await connection.rows<{ ids: string | null }>(
    sql`select encode(string_agg(${id}, ''::bytea order by ${order}), 'hex') as ids from ${from} where ${where}`,
  )
  return Buffer.from(row?.ids ?? '', 'hex')
}

/** The IDs of the previous and next records in a table's order. */
export type Neighbors = { previous: string | undefined; next: string | undefined }

export type NeighborRow = { previous: string | null; next: string | null }

export const toNeighbors = ([row]: NeighborRow[]): Neighbors => ({
  previous: row?.previous ?? undefined,
  next: row?.next ?? undefined,
})

/** Returns the IDs of the rows before and after a record. @throws the same errors as `findCursor` */
export async function neighborIds(connection: Connection, rows: SortedRows, id: string): Promise<Neighbors> {
  const position = await findCursor(connection, rows, { cursor: id, direction: 'older' })
  // `pageIds` selects one more row than the limit.
  const first = (direction: Direction) => sql`(select id from (${pageIds(rows, { direction, limit: 0 }, position)}) as page)`
  return toNeighbors(await connection.rows<NeighborRow>(sql`select ${first('newer')} as previous, ${first('older')} as next`))
}
