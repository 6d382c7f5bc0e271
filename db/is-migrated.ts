/** Checks whether a database has the tables of this version. */
import { sql } from 'drizzle-orm'
import type { Database } from './client'
import journal from './migrations/meta/_journal.json' with { type: 'json' }
import { isSchemaMismatch } from './unavailable'

/** A pattern for `like` that matches the query of `isMigrated`. */
export const READINESS_PATTERN = '%drizzle.__drizzle_migrations%'

/** Returns whether every migration of this version has been applied. Throws the same errors as `Database.use`. */
export async function isMigrated(database: Database): Promise<boolean> {
  const latest = Math.max(...journal.entries.map((entry) => entry.when))
  try {
    const [row] = await database.query<{ applied: boolean }>(
      sql`select coalesce(max(created_at), 0) >= ${latest}::bigint as applied from drizzle.__drizzle_migrations`,
    )
    return row?.applied ?? false
  } catch (error) {
    if (isSchemaMismatch(error)) return false
    throw error
  }
}
