/** Migrates a database to this version, one process at a time. */
import { fileURLToPath } from 'node:url'
import { drizzle } from 'drizzle-orm/postgres-js'
import { migrate } from 'drizzle-orm/postgres-js/migrator'
import postgres, { type Sql } from 'postgres'
import journal from './migrations/meta/_journal.json' with { type: 'json' }
import { migrateQueue } from './queue'

/** The key of the advisory lock: an arbitrary number, the same in every process. */
const LOCK = 7_034_125_001

/** Thrown if the database cannot be migrated. The message says why and what to do. The database has not been changed. */
export class MigrationError extends Error {
  override name = 'MigrationError'
}

/**
 * Throws if the database has a migration that this version lacks and that is older than this version's latest migration. Later migrations
 * come from a newer version and are ignored, so that a deployment can be rolled back.
 */
async function checkHistory(client: Sql): Promise<void> {
  const [table] = await client`select to_regclass('drizzle.__drizzle_migrations') is not null as exists`
  if (!table?.exists) return
  const known = journal.entries.map(({ when }) => when)
  const [unknown] = await client`
    select 1 from drizzle.__drizzle_migrations where created_at < ${Math.max(...known)} and created_at <> all(${known}::bigint[]) limit 1`
  if (unknown)
    throw new MigrationError(
      'This database was created by an older build and cannot be upgraded. Export its records with that build’s `desk export`, and import them into a new database or DATA_DIR.',
    )
}

/**
 * Applies pending migrations, and creates or upgrades the job queue. Safe to run in several processes at once: one migrates, the others
 * wait.
 *
 * @param url the connection string of a user who can create tables and the extensions pg_trgm and btree_gin
 * @throws {MigrationError} if the database has older migrations that this version does not contain
 */
export async function migrateDatabase(url: string): Promise<void> {
  const client = postgres(url, { max: 1, connect_timeout: 10, onnotice: () => {} })
  try {
    await client`select pg_advisory_lock(${LOCK})`
    await checkHistory(client)
    await migrate(drizzle(client), { migrationsFolder: fileURLToPath(new URL('./migrations', import.meta.url)) })
    await migrateQueue(client)
  } finally {
    await client.end({ timeout: 5 })
  }
}
