/** Creates a separate database for test files that need isolation from other files' data. */
import { afterAll, beforeAll } from 'vitest'
import { openDatabase, setDatabase } from '@/db/client'
import { createDatabase, newDatabaseName } from './postgres'

/** Gives a test file its own database, which is dropped after the tests. @returns its URL */
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
