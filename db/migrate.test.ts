/** Tests that a migration does not block a running server: it gives up after a lock timeout or deadlock and tries again. */
// @module-tag slow
import { sql } from 'drizzle-orm'
import type { PostgresJsDatabase } from 'drizzle-orm/postgres-js'
import postgres, { type Sql } from 'postgres'
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { withOwnDatabase } from '@/testing/own-database'
import { MigrationError, migrateDatabase } from './migrate'

/** The statements of a pending migration. */
const MIGRATION = ['lock table tickets in access exclusive mode', 'lock table sellers in access exclusive mode', 'create table migrated ()']
vi.mock('drizzle-orm/postgres-js/migrator', () => ({
  migrate: (orm: PostgresJsDatabase) =>
    orm.transaction(async (transaction) => {
      for (const statement of MIGRATION) await transaction.execute(sql.raw(statement))
    }),
}))

const own = withOwnDatabase()
let observer: Sql
let writer: Sql
beforeAll(() => {
  ;[observer, writer] = [1, 2].map(() => postgres(own.url, { max: 1, onnotice: () => {} })) as [Sql, Sql]
})
beforeEach(async () => {
  await observer`drop table if exists migrated`
})
afterAll(() => Promise.all([observer, writer].map((client) => client.end({ timeout: 1 }))))

/** Waits until a connection is blocked on a lock on the table. */
const waitUntilBlocked = (table: string) =>
  expect.poll(() => observer`select from pg_locks where not granted and relation = ${table}::regclass`, { timeout: 30_000 }).toHaveLength(1)

const isMigrated = async () => (await observer`select to_regclass('migrated') is not null as migrated`)[0]?.migrated

it('yields to a writer that it would deadlock with, and tries again', async () => {
  let migrating: Promise<void> | undefined
  await writer.begin(async (transaction) => {
    // Only the migration can detect the deadlock.
    await transaction`set local deadlock_timeout = '1h'`
    await transaction`lock table sellers in row exclusive mode`
    migrating = migrateDatabase(own.url)
    // Its result is checked below.
    migrating.catch(() => {})
    await waitUntilBlocked('sellers')
    await transaction`lock table tickets in row exclusive mode`
  })
  await migrating
  expect(await isMigrated()).toBe(true)
})

it('does not block other writers while it waits for the end of a long transaction', async () => {
  const other = postgres(own.url, { max: 1, connection: { lock_timeout: 15_000 } })
  let migrating: Promise<void> | undefined
  try {
    await writer.begin(async (transaction) => {
      await transaction`lock table tickets in row exclusive mode`
      migrating = migrateDatabase(own.url)
      migrating.catch(() => {})
      await waitUntilBlocked('tickets')
      await other`update tickets set made = made where false`
    })
  } finally {
    await other.end()
  }
  await migrating
  expect(await isMigrated()).toBe(true)
})

it('gives up with instructions if the tables stay locked', { timeout: 60_000 }, async () => {
  await writer.begin(async (transaction) => {
    await transaction`lock table tickets in row exclusive mode`
    const migrating = migrateDatabase(own.url, 0)
    await expect(migrating).rejects.toThrow(MigrationError)
    await expect(migrating).rejects.toThrow(/other connections keep tables locked\. Stop the servers/)
  })
  expect(await isMigrated()).toBe(false)
})

it('reports which requirement the database does not meet', async () => {
  const [first] = MIGRATION.splice(0, 1, "do $$ begin raise exception 'Needs the encoding UTF8.'; end $$")
  try {
    await expect(migrateDatabase(own.url)).rejects.toThrow(new MigrationError('The database was not migrated. Needs the encoding UTF8.'))
  } finally {
    MIGRATION.splice(0, 1, String(first))
  }
})
