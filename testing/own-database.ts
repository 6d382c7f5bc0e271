/** Creates a separate database for a test file whose data would affect other files' tests, or be affected by them. */
import { afterAll, beforeAll } from 'vitest'
import { openDatabase, setDatabase } from '@/db/client'
import { createDatabase, newDatabaseName } from './postgres'

/** Creates a database for the file's tests, makes it the process's database, and drops it after the tests. @returns its URL */
export function withOwnDatabase(): { readonly url: string } {
  const shared = String(process.env.TEST_DATABASE_URL)
  const name = newDatabaseName()
  const url = shared.replace(/\/[^/]*$/, `/${name}`)
  const pool = openDatabase({ url, max: 12, statementMs: 300_000 })
  let drop = async () => {}
  beforeAll(async () => {
    ;({ drop } = await createDatabase(shared, name))
    setDatabase(pool)
  })
  afterAll(async () => {
    setDatabase(undefined)
    await pool.close(0)
    await drop()
  })
  return { url }
}
