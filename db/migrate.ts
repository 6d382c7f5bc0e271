/** Migrates a database to this version, one process at a time. */
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { drizzle } from 'drizzle-orm/postgres-js'
import { migrate } from 'drizzle-orm/postgres-js/migrator'
import postgres, { type Sql } from 'postgres'
import { openConnection } from './connection'
import journal from './migrations/meta/_journal.json' with { type: 'json' }
import { migrateQueue } from './queue'
import { unavailableReason } from './unavailable'

/** The key of the advisory lock: an arbitrary number, the same in every process. */
const LOCK_KEY = 7_034_125_001
/**
 * How long a migration waits for a lock, in milliseconds. It is short, because every later statement on the same table waits behind the
 * migration, but longer than PostgreSQL's deadlock_timeout of one second, after which an autovacuum releases its lock.
 */
const LOCK_MS = 2_000
/** The pause before another attempt, in milliseconds. In the meantime, servers can write. */
const PAUSE_MS = 3_000
/** How long to keep retrying after the first failed attempt, in milliseconds. */
const RETRY_MS = 120_000

/** The SQLSTATE of RAISE EXCEPTION, which a migration uses to report an unmet requirement. */
const RAISE_EXCEPTION = 'P0001'

/** Thrown if the database cannot be migrated. The message says why and what to do. No migration is partially applied. */
export class MigrationError extends Error {
  override name = 'MigrationError'
}

/**
 * Throws if the database has an unknown migration that is older than this version's latest one. Later migrations come from a newer version
 * and are ignored, so that a deployment can be rolled back.
 */
async function checkHistory(client: Sql): Promise<void> {
  const [table] = await client`select to_regclass('drizzle.__drizzle_migrations') is not null as exists`
  if (!table?.exists) return
  const known = journal.entries.map(({ when }) => when)
  const [unknown] = await client`
    select 1 from drizzle.__drizzle_migrations
    where created_at < ${Math.max(...known)} and created_at <> all(${known.map(String)}::text[]::bigint[]) limit 1`
  if (unknown)
    throw new MigrationError(
      'This database was created by an older build and cannot be upgraded. Export its records with that build’s `desk export`, and import them into a new database or DATA_DIR.',
    )
}

/** Applies pending migrations in one transaction, then creates or upgrades the job queue. Fails if a lock is not free in time. */
async function tryMigrating(url: string): Promise<void> {
  const client = openConnection(url)
  try {
    await client`select pg_advisory_lock(${LOCK_KEY})`
    // Set only now, because another process's migration may take longer.
    await client`select set_config('lock_timeout', ${String(LOCK_MS)}, false)`
    await checkHistory(client)
    await migrate(drizzle(client), { migrationsFolder: fileURLToPath(new URL('./migrations', import.meta.url)) })
    // pg-boss sets its own lock timeout when it creates or upgrades its tables.
    await client`reset lock_timeout`
    await migrateQueue(client)
  } finally {
    await client.end({ timeout: 5 })
  }
}

/**
 * Applies pending migrations, and creates or upgrades the job queue. Safe to run in several processes at once: one migrates, the others
 * wait. Tries again if other connections hold locks that a migration needs, or if the migration would deadlock with them.
 *
 * @param url the connection string of a user who can create tables and the extensions pg_trgm and btree_gin
 * @param retryMs how long to keep retrying after the first failed attempt, in milliseconds
 * @throws {MigrationError} if the database has older migrations that this version does not contain, does not meet a requirement, or stays
 *   locked
 */
export async function migrateDatabase(url: string, retryMs = RETRY_MS): Promise<void> {
  for (let deadline: number | undefined; ; ) {
    try {
      return await tryMigrating(url)
    } catch (error) {
      const { cause } = error as Error
      if (cause instanceof postgres.PostgresError && cause.code === RAISE_EXCEPTION)
        throw new MigrationError(`The database was not migrated. ${cause.message}`, { cause: error })
      if (!['lock_timeout', 'deadlock'].includes(unavailableReason(error) ?? '')) throw error
      deadline ??= Date.now() + retryMs
      if (Date.now() >= deadline) {
        throw new MigrationError(
          'The migration was not completed, because other connections keep tables locked. Stop the servers and `desk` commands that use this database, and try again.',
          { cause: error },
        )
      }
    }
    await pause(PAUSE_MS)
  }
}
