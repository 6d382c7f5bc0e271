/** Brings a database to this version's tables, one process at a time. */
import { fileURLToPath } from 'node:url'
import { drizzle } from 'drizzle-orm/postgres-js'
import { migrate } from 'drizzle-orm/postgres-js/migrator'
import postgres from 'postgres'

/** Any number will do, so long as every process takes the same. */
const LOCK = 7_034_125_001

/**
 * Applies the migrations that are missing. Safe to run in several processes at once: the others wait and then find nothing to do.
 *
 * @param url postgres://…, of a user who may create tables and the extensions pg_trgm and btree_gin
 */
export async function migrateDatabase(url: string): Promise<void> {
  const client = postgres(url, { max: 1, connect_timeout: 10, onnotice: () => {} })
  try {
    await client`select pg_advisory_lock(${LOCK})`
    await migrate(drizzle(client), { migrationsFolder: fileURLToPath(new URL('./migrations', import.meta.url)) })
  } finally {
    await client.end({ timeout: 5 })
  }
}
