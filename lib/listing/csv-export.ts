/** Exports a seller's filtered records as CSV. Reads them in chunks as the client consumes them, to limit memory use. */
import { stringify } from 'csv-stringify/sync'
import { sql } from 'drizzle-orm'
import { z } from 'zod'
import { type Database, database } from '@/db/client'
import { memberAt } from '../catalog/columns'
import type { Resource } from '../catalog/resource'
import { ID_BYTES, splitIds } from '../core/object-id'
import { mapInSlices } from '../core/slices'
import { textArray } from '../core/sql'
import { type CreatedRange, requireOrderedBounds } from './created-range'
import { type Export, openExport } from './export-throttle'
import { type ListQuery, recordRows } from './list-query'
import { readTableIds } from './list-table'
import { pickPool } from './record-counts'
import { containsTerm, nextTexts, type SearchQuery } from './search-matches'
import { asListQuery, type TableQuery } from './table-query'

/** The number of records that each query reads. It is low because parsing blocks the event loop: 100 records are about 250 kB. */
const CHUNK_SIZE = 100
/** The number of texts that each query searches for the term. */
const WINDOW = 4_000

/** The byte order mark, which Excel needs to read a file as UTF-8. Other programs skip it. */
const BYTE_ORDER_MARK = '\uFEFF'

/** Returns a member's schema without the wrappers that make it optional. */
function unwrapOptional(type: unknown): unknown {
  return type instanceof z.ZodOptional || type instanceof z.ZodDefault ? unwrapOptional(type.unwrap()) : type
}

/**
 * Returns the paths of a schema's members, such as `billing.address.city`. A list, or an object with arbitrary keys, has a single path.
 * Columns are derived from the schema, so that the export cannot miss a new member.
 */
function listPaths(shape: z.ZodObject, prefix = ''): string[] {
  return Object.entries(shape.shape).flatMap(([name, type]) => {
    const inner = unwrapOptional(type)
    return inner instanceof z.ZodObject ? listPaths(inner, `${prefix}${name}.`) : [`${prefix}${name}`]
  })
}

/** Returns the header of a resource's export: every member except the secret ones. */
export const exportColumns = ({ record, secrets }: Pick<Resource, 'record' | 'secrets'>) =>
  listPaths(record).filter((path) => !secrets.includes(path))

/** Defines the columns and rows of a CSV file. */
export type CsvLayout = {
  /** The header row. */
  head: string[]
  /** Loads the data that `toRow` needs for a chunk of records, before they are formatted. */
  prepare?: (records: Record<string, unknown>[]) => Promise<void>
  toRow: (record: Record<string, unknown>) => unknown[]
  /** Returns the rows after the last record, such as totals. */
  foot?: () => unknown[][]
}

/** Returns the layout with one column for each member except the secret ones. */
export function allFields(resource: Pick<Resource, 'record' | 'secrets'>): CsvLayout {
  const head = exportColumns(resource)
  return { head, toRow: (record) => head.map((path) => formatField(memberAt(record, path))) }
}

/** Returns strings, numbers and booleans unchanged, lists and objects as JSON, and undefined (an empty cell) for null. */
function formatField(value: unknown): string | number | boolean | undefined {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
  return value === undefined || value === null ? undefined : JSON.stringify(value)
}

/** A quick check for text that might have a formula sign at the start of a cell. Most values do not match and need no further check. */
const MAY_BE_FORMULA = /^[\s"=+\-@＝＋－＠]|[;\t\n\r]/
/**
 * Matches text that a spreadsheet might run as a formula: a sign at the start of a cell, or a tab or carriage return there, because the
 * spreadsheet might skip it. If the spreadsheet splits cells at semicolons, tabs or line ends, it ignores quotes inside a cell, so the text
 * after such a separator also starts a cell. Looking back from the sign keeps the matching time linear for any text.
 */
const FORMULA_START = /(?=[=+\-@＝＋－＠])(?<=(?:^|[;\t\n\r])["\s]*).|(?=[\t\r])(?<=^|[;\t\n\r])(?:\t|\r(?!\n))/g
const escapeFormulas = (text: string) => (MAY_BE_FORMULA.test(text) ? text.replace(FORMULA_START, "'$&") : text)

/** Formats rows as CSV. Quotes values as in RFC 4180, for any separator, and puts an apostrophe before text that might run as a formula. */
const toCsv = (rows: unknown[][]) =>
  stringify(rows, {
    // The library itself quotes only values that contain a whole record delimiter, but a parser may end a row at either of its characters.
    quoted_match: /[;\t\r\n]/,
    record_delimiter: 'windows',
    cast: { boolean: String, string: escapeFormulas },
  })

/** The values of a record's order columns: its creation time, with microseconds, and its ID. */
type Position = { at: string; id: string }
/** Records as JSON, and the position before the next chunk; undefined if this is the last chunk. */
type Chunk = { records: string[]; next: Position | undefined }

/** Returns a cursor by value instead of by ID, so that changing or deleting the record during the export does not affect the cursor. */
const cursorAt = (position: Position | undefined) => position && sql`(${position.at}::timestamptz, ${position.id})`

async function readChunk(pool: Database, query: ListQuery, from: Position | undefined): Promise<Chunk> {
  const { table } = query.resource
  const rows = await pool.query<Position & { record: string }>(sql`
    select ${table.record}::text as record, ${table.createdAt}::text as at, ${table.id} as id
    ${recordRows(query, sql.raw(String(CHUNK_SIZE)), cursorAt(from))}`)
  return { records: rows.map(({ record }) => record), next: rows.length < CHUNK_SIZE ? undefined : rows.at(-1) }
}

/**
 * Reads the matches among the searched texts of the next `WINDOW` records, so that each query is short even for a rare term. The next chunk
 * starts after the last match if this chunk is full, otherwise after the last of these texts.
 */
async function readMatches(pool: Database, query: SearchQuery, from: Position | undefined): Promise<Chunk> {
  const { table } = query.resource
  const rows = await pool.query<{ texts: number; end: Position | null; at: string | null; id: string | null; record: string | null }>(sql`
    with text as materialized (select * from ${nextTexts(query, WINDOW, cursorAt(from))} as next_text), match as materialized (
      select text.id, text.created_at from text where ${containsTerm(query, sql`text`)}
      order by text.created_at desc, text.id desc limit ${CHUNK_SIZE}
    )
    select window_end.texts, window_end.position as end, match.created_at::text as at, match.id, found.record from (
      select (select count(*)::int from text) as texts,
        (select json_build_object('at', created_at::text, 'id', id) from text order by created_at, id limit 1) as position
    ) as window_end
    left join match on true
    left join lateral (
      select ${table.record}::text as record from ${table} where ${table.sellerId} = ${query.sellerId} and ${table.id} = match.id
    ) as found on true
    order by match.created_at desc, match.id desc`)
  const matches = rows.flatMap(({ at, id, record }) => (at !== null && id !== null && record !== null ? [{ at, id, record }] : []))
  const [first] = rows
  const end = first && first.texts === WINDOW ? (first.end ?? undefined) : undefined
  return { records: matches.map(({ record }) => record), next: matches.length === CHUNK_SIZE ? matches.at(-1) : end }
}

/** Yields IDs in hexadecimal, in chunks. @param ids the IDs, `ID_BYTES` bytes each */
export function* idChunks(ids: Buffer): Generator<string[]> {
  const size = CHUNK_SIZE * ID_BYTES
  for (let start = 0; start < ids.length; start += size) yield splitIds(ids.subarray(start, start + size))
}

/** Reads the records with the given IDs, in the order of the IDs. Omits records that have been deleted in the meantime. */
async function readByIds(pool: Database, { resource: { table }, sellerId }: TableQuery, wanted: string[]): Promise<string[]> {
  const rows = await pool.query<{ record: string }>(sql`
    select ${table.record}::text as record from unnest(${textArray(wanted)}) with ordinality as wanted (id, nth)
    join ${table} on ${table.sellerId} = ${sellerId} and ${table.id} = wanted.id order by wanted.nth`)
  return rows.map(({ record }) => record)
}

/** What to export and how to read it. */
type Source = {
  sellerId: string
  created?: CreatedRange | undefined
  layout: CsvLayout
  /**
   * Yields the formatted records, in chunks.
   *
   * @param runInSlot limits how many exports read concurrently
   * @param toLines formats records, given as JSON
   */
  read: (runInSlot: Export['runInSlot'], toLines: (records: string[]) => Promise<string[]>) => AsyncGenerator<string[]>
}

const readRecords = (table: TableQuery): Source['read'] =>
  async function* (runInSlot, toLines) {
    const pool = await pickPool([table.resource], table.sellerId)
    const list = asListQuery(table)
    if (!list) {
      const ids = await runInSlot(() => readTableIds(pool, table))
      for (const chunk of idChunks(ids)) yield await runInSlot(async () => toLines(await readByIds(pool, table, chunk)))
      return
    }
    const { search } = list
    const query: ListQuery = { ...list, cursor: undefined, direction: 'older' }
    let from: Position | undefined
    do {
      const { lines, next } = await runInSlot(async () => {
        const chunk = await (search === undefined ? readChunk(pool, query, from) : readMatches(pool, { ...query, search }, from))
        return { lines: await toLines(chunk.records), next: chunk.next }
      })
      from = next
      yield lines
    } while (from)
  }

/** Yields CSV text with a header, in chunks. @throws the same errors as `exportCsv` */
export async function* writeCsv({ sellerId, created, layout, read }: Source): AsyncGenerator<string> {
  const toLines = async (texts: string[]) => {
    const records = await mapInSlices(texts, (text) => JSON.parse(text) as Record<string, unknown>)
    await layout.prepare?.(records)
    return mapInSlices(records, (record) => toCsv([layout.toRow(record)]))
  }
  const { runInSlot, close } = await openExport(sellerId)
  try {
    if (created) await database().use((connection) => requireOrderedBounds(connection, { sellerId, created }))
    let head = BYTE_ORDER_MARK + toCsv([layout.head])
    for await (const lines of read(runInSlot, toLines)) {
      if (lines.length === 0) continue
      yield head + lines.join('')
      head = ''
    }
    const foot = toCsv(layout.foot?.() ?? [])
    if (head + foot) yield head + foot
  } finally {
    close()
  }
}

/**
 * Yields a table as CSV text with a header, in chunks. If the table is sorted by date and has only filters that the API's lists also have,
 * the newest record comes first, even if the table starts with the oldest one. Records added during such an export are included if they
 * sort after the current position, and do not cause any record to be repeated or skipped. All other exports follow the table's order, and
 * contain the records that match when the export starts, without those that are deleted before they are read.
 *
 * @param layout every member by default
 * @throws {ApiError} `parameter_invalid` if the date filters contradict each other
 * @throws {UnavailableError} if the database is unreachable, too many exports are open, or the export waits too long for its turn. If the
 *   error is thrown after the first chunk, the file is incomplete
 */
export const exportCsv = (table: TableQuery, layout = allFields(table.resource)): AsyncGenerator<string> =>
  writeCsv({ ...table, layout, read: readRecords(table) })
