/** `/readyz` distinguishes an outage of the database from a wrong connection string. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Database, database, openDatabase, setDatabase } from '@/db/client'
import { openTestDatabase } from '@/testing/seller'
import { countStatements } from '@/testing/statements'
import { fromRequest } from './exchange'
import { readinessProblem, readyRoute } from './health-routes'

let originalDatabase: Database
beforeAll(() => {
  openTestDatabase()
  originalDatabase = database()
})
afterAll(() => setDatabase(originalDatabase))

async function findProblem(url: string): Promise<string | undefined> {
  const pool = openDatabase({ url, max: 1 })
  setDatabase(pool)
  try {
    return await readinessProblem()
  } finally {
    await pool.close(0)
  }
}

it('reports whether the database is down or rejects the connection', async () => {
  const url = new URL(String(process.env.TEST_DATABASE_URL))
  expect(await findProblem(url.href)).toBeUndefined()
  url.pathname = '/no_such_database'
  expect(await findProblem(url.href)).toBe('The database rejected the connection or the query. Check DATABASE_URL and the server log.')
  url.port = '1'
  expect(await findProblem(url.href)).toMatch(/^The database does not respond\. Check DATABASE_URL/)
})

it('concurrent requests share one query', async () => {
  setDatabase(originalDatabase)
  const check = () => readyRoute.GET.handle(fromRequest(new Request('http://x/readyz')), {})
  const one = await countStatements(async () => expect((await check()).status).toBe(200))
  expect(await countStatements(() => Promise.all(Array.from({ length: 20 }, check)))).toBe(one)
  expect(await countStatements(check)).toBe(one)
})
