/** A seller's filtered records as CSV: read piece by piece, no faster than they are taken, in memory that does not grow. */

import { stringify } from 'csv-stringify/sync'
import { and, sql } from 'drizzle-orm'
import { z } from 'zod'
import type { Database } from '@/db/client'
import { memberAt } from '../catalog/columns'
import type { ListParams } from '../catalog/list-params'
import type { Resource } from '../catalog/resource'
import { narrowed } from './conditions'
import { pickReadPool } from './read-pool'
import { holdsTerm, searchFor } from './search-matches'

/** Records that are held at once: about 1 MB of them. */
const PIECE = 500
/** Texts that are looked through at once for a term. */
const WINDOW = 20_000

/** Excel takes a file for UTF-8 by this mark alone, and other readers know to skip it. */
const BYTE_ORDER_MARK = '\uFEFF'

export type ExportFilters = Pick<ListParams, 'search' | 'status' | 'pageId'>

/** What a member is, without what says that it may be absent. */
function unwrapped(type: unknown): unknown {
  return type instanceof z.ZodOptional || type instanceof z.ZodDefault ? unwrapped(type.unwrap()) : type
}

/**
 * The paths of a shape's members: `billing.address.city` for each scalar; a list, or a map with names of its own, is one column.
 * Taken from the shape itself, so that a member that is added to it can't be forgotten here.
 */
function pathsOf(shape: z.ZodObject, prefix = ''): string[] {
  return Object.entries(shape.shape).flatMap(([name, type]) => {
    const inner = unwrapped(type)
    return inner instanceof z.ZodObject ? pathsOf(inner, `${prefix}${name}.`) : [`${prefix}${name}`]
  })
}

/** The header of a resource's export: every member of its records but those that bear a secret. */
export const exportColumns = ({ record, secrets }: Resource) => pathsOf(record).filter((path) => !secrets.includes(path))

/** Text, number and flag as they are; a list or a map as JSON. */
function fieldOf(value: unknown): string | number | boolean | undefined {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
  return value === undefined || value === null ? undefined : JSON.stringify(value)
}

/** RFC 4180; what a spreadsheet would run as a formula gets an apostrophe in front. */
const toCsv = (rows: unknown[][]) => stringify(rows, { escape_formulas: true, record_delimiter: 'windows', cast: { boolean: String } })

type Place = { at: string; id: string }
type Piece = { records: string[]; last: Place | undefined }

/** Behind a place in the list's order. By value, not by id: a record that is moved or gone by then takes nothing with it. */
const behind = ({ table }: Resource, place: Place | undefined) =>
  place && sql`(${table.createdAt}, ${table.id}) < (${place.at}::timestamptz, ${place.id})`

/** The next records of a list. */
async function readPiece(
  pool: Database,
  resource: Resource,
  seller: string,
  filters: ExportFilters,
  from: Place | undefined,
): Promise<Piece> {
  const { table } = resource
  const rows = await pool.use((connection) =>
    connection.rows<Place & { record: string }>(sql`
      select ${table.record}::text as record, ${table.createdAt}::text as at, ${table.id} as id from ${table}
      where ${and(narrowed(table, seller, filters), behind(resource, from))}
      order by ${table.createdAt} desc, ${table.id} desc limit ${PIECE}`),
  )
  return { records: rows.map(({ record }) => record), last: rows.length < PIECE ? undefined : rows.at(-1) }
}

/**
 * The matches among the next texts, which an index carries: however rare a term is, each read is short.
 * The next piece begins behind the last match where there may be more of them, else behind the last text.
 */
async function readMatches(
  pool: Database,
  resource: Resource,
  seller: string,
  filters: ExportFilters & { search: string },
  from: Place | undefined,
): Promise<Piece> {
  const { table } = resource
  const holds = holdsTerm(searchFor(resource, seller, { ...filters, limit: 1 }), sql`text`)
  const rows = await pool.use((connection) =>
    connection.rows<{ texts: number; end: Place | null; at: string | null; id: string | null; record: string | null }>(sql`
      with text as materialized (
        select ${table.id} as id, ${table.createdAt} as created_at, ${table.search} as search from ${table}
        where ${and(narrowed(table, seller, filters), behind(resource, from))}
        order by ${table.createdAt} desc, ${table.id} desc limit ${WINDOW}
      ), match as materialized (
        select text.id, text.created_at from text where ${holds} order by text.created_at desc, text.id desc limit ${PIECE}
      )
      select window_end.texts, window_end.place as end, match.created_at::text as at, match.id, found.record from (
        select (select count(*)::int from text) as texts,
          (select json_build_object('at', created_at::text, 'id', id) from text order by created_at, id limit 1) as place
      ) as window_end
      left join match on true
      left join lateral (
        select ${table.record}::text as record from ${table} where ${table.sellerId} = ${seller} and ${table.id} = match.id
      ) as found on true
      order by match.created_at desc, match.id desc`),
  )
  const matches = rows.flatMap(({ at, id, record }) => (at !== null && id !== null && record !== null ? [{ at, id, record }] : []))
  const [first] = rows
  const end = first && first.texts === WINDOW ? (first.end ?? undefined) : undefined
  return { records: matches.map(({ record }) => record), last: matches.length === PIECE ? matches.at(-1) : end }
}

/**
 * The records that match, as JSON texts, newest first, a piece at a time. A piece is read when it is asked for.
 * Records that come meanwhile are in it where they sort behind what has been read; none is given twice or left out for them.
 */
async function* readPieces(resource: Resource, seller: string, filters: ExportFilters): AsyncGenerator<string[]> {
  const { search } = filters
  const pool = await pickReadPool([resource], seller)
  let from: Place | undefined
  do {
    const piece: Piece = await (search === undefined
      ? readPiece(pool, resource, seller, filters, from)
      : readMatches(pool, resource, seller, { ...filters, search }, from))
    if (piece.records.length > 0) yield piece.records
    from = piece.last
  } while (from)
}

/**
 * The records of a list's filters as CSV, with a header, in pieces of text.
 *
 * @param seller the id of the seller whose records they are
 * @throws {Unavailable} where the database is away, in the middle too: what came before is then no whole file
 */
export async function* exportCsv(resource: Resource, seller: string, filters: ExportFilters): AsyncGenerator<string> {
  const columns = exportColumns(resource)
  let head = BYTE_ORDER_MARK + toCsv([columns])
  for await (const piece of readPieces(resource, seller, filters)) {
    const rows = piece.map((text) => {
      const record = JSON.parse(text) as Record<string, unknown>
      return columns.map((path) => fieldOf(memberAt(record, path)))
    })
    yield head + toCsv(rows)
    head = ''
  }
  if (head) yield head
}
