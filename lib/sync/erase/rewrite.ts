/** Rewrites a seller's records and columns with a function that redacts their values. */
import { type SQL, sql } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { Connection } from '@/db/client'
import { mapInSlices } from '../../core/slices'
import { escapeLike, textArray, textTable } from '../../core/sql'

export type JsonObject = Record<string, unknown>

/** Returns a copy of a value without personal data. */
export type Redactor = (value: unknown) => unknown

/** A stored record, with its JSON as text. */
export type StoredRecord = { id: string; record: string }

export const listIds = (records: readonly { id: string }[]) => records.map(({ id }) => id)

/** The number of rows rewritten per statement. */
const REWRITE_BATCH = 200

/** Locks records, and returns them in the order of their IDs. @param ids a query for IDs */
export const readRecords = ({ rows }: Connection, table: PgTable, seller: string, ids: SQL) =>
  rows<StoredRecord>(
    sql`select id, record::text as record from ${table} where seller_id = ${seller} and id in (${ids}) order by id for no key update`,
  )

/** Applies a function to records, and writes those that it changes. @returns the number of changed records */
export async function rewriteRecords(connection: Connection, table: PgTable, seller: string, stored: StoredRecord[], redact: Redactor) {
  const changed = stored.flatMap(({ id, record }) => {
    const next = JSON.stringify(redact(JSON.parse(record)))
    return next === record ? [] : [{ id, record: next }]
  })
  if (changed.length > 0) {
    await connection.rows(sql`
      update ${table} as stored set record = line.record::json
      from ${textTable({ id: changed.map(({ id }) => id), record: changed.map(({ record }) => record) })} as line
      where stored.seller_id = ${seller} and stored.id = line.id`)
  }
  return changed.length
}

/** Escapes the non-ASCII characters of a JSON string, as in some of Stripe's payloads. */
const toAscii = (json: string) => json.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Returns the condition that a column contains one of the texts, in any letter case, unchanged or escaped as in JSON. */
export function mentionsAny(column: PgColumn | SQL, texts: readonly string[]): SQL {
  const spellings = texts.flatMap((text) => {
    const json = JSON.stringify(text).slice(1, -1)
    return [text, json, toAscii(json)]
  })
  const patterns = [...new Set(spellings)].map((text) => `%${escapeLike(text)}%`)
  // With `array`, the texts are folded once, and each row's value is folded once instead of once per text.
  return sql`desk_fold(${column}::text) like any (array(select desk_fold(pattern) from unnest(${textArray(patterns)}) as pattern))`
}

const isJson = (column: PgColumn) => column.getSQLType() === 'json'

/**
 * Locks the seller's rows that match a condition, and yields the values of a column in batches, because a short name may occur in many
 * rows: for example, "customer" contains Tom.
 *
 * @param value the expression to read, such as the column itself
 */
export async function* readColumn({ rows }: Connection, seller: string, { table }: PgColumn, where: SQL, value: SQL) {
  // The rows are locked, so their physical locations do not change.
  const found = await rows<{ ctid: string }>(
    sql`select ${table}.ctid::text as ctid from ${table} where seller_id = ${seller} and (${where}) for no key update`,
  )
  for (let start = 0; start < found.length; start += REWRITE_BATCH) {
    const ctids = textArray(found.slice(start, start + REWRITE_BATCH).map(({ ctid }) => ctid))
    yield await rows<{ ctid: string; value: string | null }>(sql`
      select ${table}.ctid::text as ctid, ${value}::text as value from ${table}
      where ${table}.ctid = any(${ctids}::tid[]) and ${table}.seller_id = ${seller}`)
  }
}

/**
 * Redacts a column in the seller's rows that match a condition.
 *
 * @param value the expression that is read and redacted, if it is not the column itself
 * @returns the number of changed rows
 */
export async function rewriteColumn(
  connection: Connection,
  seller: string,
  column: PgColumn,
  where: SQL,
  redact: Redactor,
  value = sql`${column}`,
): Promise<number> {
  const { table } = column
  let total = 0
  for await (const batch of readColumn(connection, seller, column, where, value)) {
    const redacted = await mapInSlices(batch, ({ ctid, value }) => {
      if (value === null) return []
      const next = isJson(column) ? JSON.stringify(redact(JSON.parse(value))) : redactTextOrJson(value, redact)
      return next === value ? [] : [{ ctid, next }]
    })
    const changed = redacted.flat()
    total += changed.length
    if (changed.length === 0) continue
    await connection.rows(sql`
      update ${table} set ${sql.identifier(column.name)} = ${isJson(column) ? sql`line.next::json` : sql`line.next::json #>> '{}'`}
      from ${textTable({
        ctid: changed.map(({ ctid }) => ctid),
        next: changed.map(({ next }) => (isJson(column) ? next : JSON.stringify(next))),
      })} as line
      where ${table}.ctid = line.ctid::tid and ${table}.seller_id = ${seller}`)
  }
  return total
}

/** Redacts a string that may be JSON, such as a stored response. */
function redactTextOrJson(text: string, redact: Redactor): string {
  if (text.startsWith('{')) {
    try {
      return JSON.stringify(redact(JSON.parse(text)))
    } catch {
      // The text is truncated JSON, or it is not JSON but starts with a brace.
    }
  }
  return String(redact(text))
}
