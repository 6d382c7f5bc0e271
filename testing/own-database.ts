/** A database of a test file's own, on the tests' PostgreSQL: for what would be in the way of other files' tests. */
import { randomBytes } from 'node:crypto'
import postgres from 'postgres'
import { openDatabase, setDatabase } from '@/db/client'
import { migrateDatabase } from '@/db/migrate'

/** @returns its connection string, and how it is dropped; until then it is this process's database */
export async function openOwnDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  const shared = String(process.env.TEST_DATABASE_URL)
  const name = `own_${randomBytes(6).toString('hex')}`
  const url = shared.replace(/\/[^/]*$/, `/${name}`)
  const admin = postgres(shared, { max: 1, onnotice: () => {} })
  await admin.unsafe(`create database ${name}`)
  await migrateDatabase(url)
  const pool = openDatabase({ url, max: 12, statementMs: 60_000 })
  setDatabase(pool)
  return {
    url,
    drop: async () => {
      setDatabase(undefined)
      await pool.close(0)
      await admin.unsafe(`drop database ${name} with (force)`)
      await admin.end()
    },
  }
}
