/** Many values in one parameter: the driver's arrays cost three times as much to send. */
import { type SQL, sql } from 'drizzle-orm'

/**
 * A table of text columns, side by side, for `from`.
 *
 * @param columns values by column name; each list of the same length, each value without a newline, as JSON texts are
 */
export function lines(columns: Record<string, string[]>): SQL {
  const names = Object.keys(columns)
  const tables = names.map((name) => sql`string_to_table(${columns[name]?.join('\n')}::text, E'\\n')`)
  return sql`(select * from rows from (${sql.join(tables, sql`, `)}) as columns (${sql.raw(names.join(', '))}))`
}
