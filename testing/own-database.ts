/** Creates a separate database for a test file whose data would affect other files' tests, or be affected by them. */
import { randomBytes } from 'node:crypto'
import postgres from 'postgres'
import { afterAll, beforeAll } from 'vitest'
import { openDatabase, setDatabase } from '@/db/client'
import { migrateDatabase } from '@/db/migrate'

/** Creates a database before the file's tests, uses it as the process's database, and drops it after them. @returns its URL, available once the tests run */
export function withOwnDatabase(): { readonly url: string } {
  const shared = String(process.env.TEST_DATABASE_URL)
  const name = `own_${randomBytes(6).toString('hex')}`
  const url = shared.replace(/\/[^/]*$/, `/${name}`)
  const admin = postgres(shared, { max: 1, onnotice: () => {} })
  const pool = openDatabase({ url, max: 12, statementMs: 60_000 })
  beforeAll(async () => {
    await admin.unsafe(`create database ${name}`)
    await migrateDatabase(url)
    setDatabase(pool)
  })
  afterAll(async () => {
    setDatabase(undefined)
    await pool.close(0)
    await admin.unsafe(`drop database ${name} with (force)`)
    await admin.end()
  })
  return { url }
}
