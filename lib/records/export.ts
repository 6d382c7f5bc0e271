/** A seller's filtered records as CSV: read piece by piece, no faster than they are taken, in memory that does not grow. */

import { stringify } from 'csv-stringify/sync'
import { and, sql } from 'drizzle-orm'
import { z } from 'zod'
import { database } from '@/db/client'
import { memberAt } from './columns'
import { matching } from './list'
import type { ListParams } from './list-params'
import type { Resource } from './resource'

/** Records that are held at once: about 1 MB of them. */
const PIECE = 500

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

/**
 * The records that match, as JSON texts, newest first, a piece at a time. A piece is read when it is asked for.
 * Records that come meanwhile are in it where they sort behind what has been read; none is given twice or left out for them.
 */
async function* readPieces({ table }: Resource, seller: string, filters: ExportFilters): AsyncGenerator<string[]> {
  const matches = matching(table, seller, filters)
  // By value, not by id: a record that is moved or gone by then takes nothing with it.
  let last: { at: string; id: string } | undefined
  for (;;) {
    const behind = last && sql`(${table.createdAt}, ${table.id}) < (${last.at}::timestamptz, ${last.id})`
    const rows = await database().use((connection) =>
      connection.rows<{ record: string; at: string; id: string }>(sql`
        select ${table.record}::text as record, ${table.createdAt}::text as at, ${table.id} as id from ${table}
        where ${and(matches, behind)} order by ${table.createdAt} desc, ${table.id} desc limit ${PIECE}`),
    )
    last = rows.at(-1)
    if (rows.length > 0) yield rows.map(({ record }) => record)
    if (rows.length < PIECE) return
  }
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
