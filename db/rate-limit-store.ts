/** Counts that several servers share: rate-limiter-flexible's queries, on our own connections. */
import { type SQL, sql } from 'drizzle-orm'
import { getPool } from './pools'

export const RATE_LIMIT_TABLE = 'rate_limits'

/** As node-postgres has it: a text with $1, $2 …, and their values. */
type Query = { text: string; values?: unknown[] }

const bind = ({ text, values = [] }: Query): SQL =>
  sql.join(text.split(/\$(\d+)/).map((piece, at) => (at % 2 === 0 ? sql.raw(piece) : sql`${values[Number(piece) - 1]}`)))

export const rateLimitStore = {
  async query(query: Query) {
    const rows = await getPool('keys').use((connection) => connection.rows<Record<string, unknown>>(bind(query)))
    return { rows, rowCount: rows.length }
  },
}
