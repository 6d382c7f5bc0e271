/** Runs a statement with a time limit. */
import { sql } from 'drizzle-orm'
import type { Connection, Database } from '@/db/client'

/** The SQLSTATE for query_canceled. */
const CANCELED = '57014'

class TimeLimitError extends Error {}

/**
 * Returns the result of a statement, or undefined if it takes longer than `ms` milliseconds.
 *
 * @param run runs the statement on the connection
 * @param settings additional PostgreSQL settings, which apply only to this statement
 */
export async function withinTime<T>(
  pool: Database,
  ms: number,
  run: (connection: Connection) => Promise<T>,
  settings: Record<string, string> = {},
): Promise<T | undefined> {
  const values = Object.entries({ statement_timeout: String(Math.max(1, Math.round(ms))), ...settings })
  const set = sql`select ${sql.join(
    values.map(([name, value]) => sql`set_config(${sql.raw(`'${name}'`)}, ${value}, true)`),
    sql`, `,
  )}`
  try {
    const work = async (connection: Connection) => {
      // Both statements are sent together.
      const [, result] = await Promise.all([connection.rows(set), run(connection)]).catch((error: { code?: string }) => {
        throw error.code === CANCELED ? new TimeLimitError() : error
      })
      return result
    }
    return await pool.transaction(work, undefined, ms)
  } catch (error) {
    if (error instanceof TimeLimitError) return undefined
    throw error
  }
}

/** Settings that force the planner to use the trigram index, because it cannot estimate how many texts match. */
export const ONLY_TRIGRAMS = { enable_seqscan: 'off', enable_indexscan: 'off', enable_indexonlyscan: 'off' } as const
