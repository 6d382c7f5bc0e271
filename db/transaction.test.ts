/** Transactions take few round trips, and are committed only if all of their statements succeed. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { withOwnDatabase } from '@/testing/own-database'
import { type Connection, type Database, openDatabase } from './client'
import { UnavailableError } from './unavailable'

const own = withOwnDatabase()
let pool: Database
beforeAll(async () => {
  pool = openDatabase({ url: own.url, max: 1 })
  await pool.use(({ rows }) => rows(sql`create table numbers (n int unique deferrable initially deferred)`))
})
afterAll(() => pool.close(0))
beforeEach(() => pool.use(({ rows }) => rows(sql`truncate numbers`)))

const add = ({ rows }: Connection, n: number) => rows(sql`insert into numbers values (${n})`)
const divide = ({ rows }: Connection, by: number) => rows(sql`select 1 / ${by}::int`)
const list = () => pool.use(({ rows }) => rows<{ n: number }>(sql`select n from numbers order by n`))

/** Passes a connection on to the database, and counts how often the client sends something after the database has responded. */
async function countRoundTrips() {
  const { hostname, port } = new URL(own.url)
  let count = 0
  let hasResponded = true
  const proxy = createServer((client) => {
    const server = connect(Number(port), hostname)
    client.on('data', (bytes) => {
      if (hasResponded) count += 1
      hasResponded = false
      server.write(bytes)
    })
    server.on('data', (bytes) => {
      hasResponded = true
      client.write(bytes)
    })
    client.on('close', () => server.destroy()).on('error', () => {})
    server.on('close', () => client.destroy()).on('error', () => {})
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const url = Object.assign(new URL(own.url), { host: `127.0.0.1:${(proxy.address() as AddressInfo).port}` })
  return { url: url.href, read: () => count, close: () => proxy.close() }
}

it.each([
  ['three round trips, because BEGIN is sent with the first statement', 3, undefined],
  ['two round trips if COMMIT is sent with the last one', 2, (connection: Connection) => connection.commit?.()],
])('a transaction of two statements takes %s', async (_, trips, commit = () => {}) => {
  const proxy = await countRoundTrips()
  const counted = openDatabase({ url: proxy.url, max: 1 })
  const run = (n: number) =>
    counted.transaction(async (connection) => {
      await divide(connection, n)
      const adding = add(connection, n)
      commit(connection)
      await adding
    })
  try {
    // Prepares the statements.
    await run(1)
    const before = proxy.read()
    await run(2)
    expect(proxy.read() - before).toBe(trips)
    expect(await list()).toEqual([{ n: 1 }, { n: 2 }])
  } finally {
    await counted.close(0)
    proxy.close()
  }
})

describe('a statement that fails', () => {
  it('after COMMIT has been sent rolls the transaction back', async () => {
    const failing = pool.transaction(async (connection) => {
      const work = [add(connection, 1), divide(connection, 0)]
      connection.commit?.()
      await Promise.all(work)
    })
    await expect(failing).rejects.toThrow('division by zero')
    expect(await list()).toEqual([])
  })

  it('without an error handler fails the transaction', async () => {
    const failing = pool.transaction(async (connection) => {
      await add(connection, 1)
      await divide(connection, 0).catch(() => {})
      return 'done'
    })
    await expect(failing).rejects.toThrow('division by zero')
    expect(await list()).toEqual([])
  })

  it('is the error that the transaction throws, even if work throws that of a later one', async () => {
    const failing = pool.transaction(async (connection) => {
      await divide(connection, 0).catch(() => {})
      await add(connection, 1)
    })
    await expect(failing).rejects.toThrow('division by zero')
  })
})

describe('a COMMIT', () => {
  it('that fails does not affect the transaction that gets the connection', async () => {
    const addAll = (...numbers: number[]) =>
      pool.transaction(async (connection) => {
        for (const n of numbers) await add(connection, n)
      })
    const [failed] = await Promise.allSettled([addAll(1, 1), addAll(2, 3)])
    expect(failed).toMatchObject({ reason: { constraint_name: 'numbers_n_key' } })
    expect(await list()).toEqual([{ n: 2 }, { n: 3 }])
  })

  it('is the end of the transaction', async () => {
    const late = pool.transaction(async (connection) => {
      const adding = add(connection, 1)
      connection.commit?.()
      await adding
      await add(connection, 2)
    })
    await expect(late).rejects.toThrow('has ended')
    expect(await list()).toEqual([{ n: 1 }])
  })
})

it('a transaction that gets no connection rejects its statements', async () => {
  const nowhere = openDatabase({ url: 'postgres://nobody@127.0.0.1:9/none', max: 1 })
  let statement: unknown
  const failing = nowhere.transaction(async (connection) => {
    statement = await add(connection, 1).catch((error: unknown) => error)
    throw statement
  })
  await expect(failing).rejects.toThrow(UnavailableError)
  await expect.poll(() => statement).toMatchObject({ code: 'ECONNREFUSED' })
  await nowhere.close(0)
})
