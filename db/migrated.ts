/** Tells whether a database has this version's tables. */
import { sql } from 'drizzle-orm'
import type { Database } from './client'
import journal from './migrations/meta/_journal.json' with { type: 'json' }

/** True once every migration of this version has been applied; false also where none ever was. Throws as `Database.use` does. */
export async function isMigrated(database: Database): Promise<boolean> {
  const latest = Math.max(...journal.entries.map((entry) => entry.when))
  try {
    const [row] = await database.use((connection) =>
      connection.rows<{ applied: boolean }>(
        sql`select coalesce(max(created_at), 0) >= ${latest}::bigint as applied from drizzle.__drizzle_migrations`,
      ),
    )
    return row?.applied ?? false
  } catch (error) {
    const { cause } = error as { cause?: { code?: string } }
    if (cause?.code === '42P01') return false // undefined_table: never migrated
    throw error
  }
}
