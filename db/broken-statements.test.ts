/** Tests that a failed statement or lost connection does not affect other statements. */
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { withOwnDatabase } from '@/testing/own-database'
import { type Connection, type Database, openDatabase } from './client'
import { UnavailableError } from './unavailable'

const own = withOwnDatabase()
/** A pool with a single connection, so that each statement runs on that connection or its replacement. */
let pool: Database
let killer: Database
beforeAll(() => {
  pool = openDatabase({ url: own.url, max: 1 })
  killer = openDatabase({ url: own.url, max: 1 })
})
afterAll(() => Promise.all([pool.close(0), killer.close(0)]))

/** Reads from the pool, retrying once on failure. */
function readWithRetry(): Promise<unknown[]> {
  const read = () => pool.use(({ rows }) => rows(sql`select 1 as one`))
  return read().catch(read)
}
const readPid = async ({ rows }: Connection) => (await rows<{ pid: number }>(sql`select pg_backend_pid() as pid`))[0]?.pid
const kill = (pid: number | undefined) => killer.use(({ rows }) => rows(sql`select pg_terminate_backend(${pid}::int, 5000)::text`))

/** Returns a promise and the function that resolves it. */
function defer(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {}
  const promise = new Promise<void>((resolved) => {
    resolve = resolved
  })
  return { promise, resolve }
}

describe('a statement that fails after its first rows', () => {
  const fail = () => pool.use(({ rows }) => rows(sql`select 1 / (3 - n) from generate_series(1, 3) n`))

  it.each<[string, (connection: Connection) => Promise<unknown>, unknown]>([
    ['rows', ({ rows }) => rows(sql`select 1 as one`), [{ one: 1 }]],
    ['rows of a prepared statement', ({ rows }) => rows(sql`select ${1}::int as one`), [{ one: 1 }]],
    ['bytes', ({ bytes }) => bytes(sql`select ${1}::int as one`, {}), [[Buffer.from('1')]]],
    ['a query', ({ orm }) => orm.execute(sql`select 1 as one`), [{ one: 1 }]],
    ['a built query', ({ orm }) => orm.select({ one: sql<number>`n` }).from(sql`generate_series(1, 1) n`), [{ one: 1 }]],
  ])('does not leave empty elements in the next result on its connection: %s', async (_, read, result) => {
    await expect(fail()).rejects.toThrow('division by zero')
    expect(await pool.use(read)).toEqual(result)
  })

  it('does not leave empty elements in the first result on the replacement connection', async () => {
    const end = sql`select case n when 2 then pg_terminate_backend(pg_backend_pid())::text end from generate_series(1, 1000) n`
    await expect(pool.use(({ rows }) => rows(end))).rejects.toThrow(UnavailableError)
    expect(await readWithRetry()).toEqual([{ one: 1 }])
  })
})

it('a prepared statement that the server no longer has is retried with the same parameters', async () => {
  const read = ({ rows, bytes }: Connection) => {
    const query = sql`select ${true}::boolean as flag, encode(${Buffer.from('A')}::bytea, 'escape') as text`
    return Promise.all([rows(query), bytes(query, {})])
  }
  const first = await pool.use(read)
  await pool.use(({ rows }) => rows(sql.raw('deallocate all')))
  expect(await pool.use(read)).toEqual(first)
})

it('dates and JSON are sent as text, and dates are read as text, whether or not the query builder has been used', async () => {
  const fresh = openDatabase({ url: own.url, max: 1 })
  const at = '2026-11-27 10:00:00.123456+00'
  const read = () =>
    fresh.use(({ rows }) =>
      rows(sql`select ${at}::timestamptz::text as at, ${'2026-11-27'}::date as day, ${'{"a":1}'}::json ->> 'a' as one`),
    )
  try {
    const first = await read()
    expect(first).toEqual([{ at, day: '2026-11-27', one: '1' }])
    await fresh.use(({ orm }) => orm.execute(sql`select 1`))
    expect(await read()).toEqual(first)
  } finally {
    await fresh.close(0)
  }
})

it('a statement with an undefined parameter does not affect the others on its connection', async () => {
  const read = ({ rows }: Connection, name: string | undefined) => rows(sql`select ${sql.placeholder('name')}::text as name`, { name })
  const work = (connection: Connection) => Promise.allSettled(['first', undefined, 'last'].map((name) => read(connection, name)))
  const settled = [
    { status: 'fulfilled', value: [{ name: 'first' }] },
    { status: 'rejected', reason: new TypeError('A parameter of the statement is undefined.') },
    { status: 'fulfilled', value: [{ name: 'last' }] },
  ]
  expect(await pool.use(work)).toEqual(settled)
  expect(await pool.transaction(work)).toEqual(settled)
})

describe('a transaction whose connection is lost', () => {
  beforeEach(() => pool.use(({ rows }) => rows(sql`create table if not exists steps (step text)`)))

  const list = ({ rows }: Connection) => rows(sql`select step from steps`)
  const add = ({ rows }: Connection, step: string) => rows(sql`insert into steps values (${step})`)

  it.each<[string, (connection: Connection) => Promise<unknown>]>([
    ['its next statement', (connection) => add(connection, 'late')],
    ['its COMMIT', async () => {}],
    ['its ROLLBACK', () => Promise.reject(new Error('late'))],
  ])('does not run %s in the next transaction', async (_, continueWork) => {
    const [begun, killed] = [defer(), defer()]
    let pid: number | undefined
    const lost = pool.transaction(async (connection) => {
      pid = await readPid(connection)
      begun.resolve()
      await killed.promise
      return continueWork(connection)
    })
    await begun.promise
    await Promise.all([expect(lost).rejects.toThrow(UnavailableError), kill(pid)])
    let seen: unknown[] = []
    const next = pool.transaction(async (connection) => {
      await add(connection, 'first')
      killed.resolve()
      await connection.rows(sql`select pg_sleep(0.1)`)
      await add(connection, 'second')
      seen = await list(connection)
      throw new Error('stop')
    })
    await expect(next).rejects.toThrow('stop')
    expect([seen, await pool.use(list)]).toEqual([[{ step: 'first' }, { step: 'second' }], []])
  })

  it('does not stall the pool if the connection is lost during a statement', async () => {
    const begun = defer()
    let pid: number | undefined
    const lost = pool.transaction(async (connection) => {
      pid = await readPid(connection)
      begun.resolve()
      await connection.rows(sql`select pg_sleep(3)`)
    })
    await begun.promise
    await Promise.all([expect(lost).rejects.toThrow(UnavailableError), kill(pid)])
    expect(await readWithRetry()).toEqual([{ one: 1 }])
  })
})
