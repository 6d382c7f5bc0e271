/** SQL fragments used by several queries. */
import { type SQL, sql } from 'drizzle-orm'
import type { AnyPgColumn } from 'drizzle-orm/pg-core'

/** The start of the transaction in Unix milliseconds, by the database's clock. */
export const nowMs = sql<number>`(extract(epoch from now()) * 1000)::float8`

type InstantText<T> = T extends AnyPgColumn<{ notNull: true }> ? string : string | null

/** Formats a timestamp as `YYYY-MM-DDTHH:mm:ss.sssZ`; null if the timestamp is null. */
export const instantText = <T extends SQL | AnyPgColumn>(instant: T) =>
  sql<InstantText<T>>`to_char(${instant} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** Formats a day as `YYYY-MM-DD`; null if the day is null. */
export const dayText = (day: SQL | AnyPgColumn) => sql`to_char(${day}, 'YYYY-MM-DD')`

/**
 * Returns the first instant of a day in a time zone, as a scalar subquery. If the clocks are set back so that midnight occurs twice,
 * PostgreSQL converts midnight to its second occurrence, so the offset of the day before is tried first.
 *
 * @param day a date, or its midnight without a time zone
 */
export const startOfDay = (day: SQL, timeZone: SQL | string): SQL => sql`(
  select case when first at time zone zone = midnight then first else last end
  from (select (${day})::timestamp as midnight, ${timeZone}::text as zone) as local,
    lateral (select midnight at time zone zone as last) as converted,
    lateral (select last - interval '24 hours' as earlier) as day_before,
    lateral (select midnight at time zone (earlier at time zone zone - earlier at time zone 'UTC') as first) as unchanged)`

/** Passes an array of strings as one parameter. */
export const textArray = (values: readonly string[]): SQL => sql`${sql.param([...values])}::text[]`

/**
 * Returns a table of text columns for use after `from`, with one parameter per column. Use it for bulk writes: in our measurements, sending
 * array parameters took three times as long.
 *
 * @param columns the values by column name. All lists must have the same length, and no value may contain a newline (compact JSON has none)
 */
export function textTable(columns: Record<string, readonly string[]>): SQL {
  const names = Object.keys(columns)
  const tables = names.map((name) => sql`string_to_table(${columns[name]?.join('\n')}::text, E'\\n')`)
  return sql`(select * from rows from (${sql.join(tables, sql`, `)}) as columns (${sql.raw(names.join(', '))}))`
}

/** Converts a query in node-postgres format, with parameters such as $1, for libraries that run their queries on the server's pools. */
export const bindParameters = (text: string, values: readonly unknown[] = []): SQL =>
  sql.join(text.split(/\$(\d+)/).map((piece, index) => (index % 2 === 0 ? sql.raw(piece) : sql`${sql.param(values[Number(piece) - 1])}`)))

/** Escapes the characters in a search term that are special in LIKE: `%`, `_` and `\`. */
export const escapeLike = (term: string) => term.replace(/[\\%_]/g, '\\$&')
