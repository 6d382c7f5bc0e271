/** Tests that a pool bounds every wait and recovers from lost connections, slow statements and a stalled driver. */
// @module-tag slow
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { withOwnDatabase } from '@/testing/own-database'
import { type Connection, type Database, openDatabase } from './client'
import { createSemaphore } from './semaphore'
import { isUnavailable, UnavailableError } from './unavailable'

// These tests kill the pool's connections, so other test files must not use this database.
const own = withOwnDatabase()
let pool: Database
beforeAll(() => {
  pool = openDatabase({ url: own.url, max: 2 })
})
afterAll(() => pool.close(0))

const sleep = (seconds: number) => pool.use(({ rows }) => rows(sql`select pg_sleep(${seconds}::float8)`))
const selectOne = () => pool.use(({ rows }) => rows<{ one: number }>(sql`select 1 as one`))

describe('Database', () => {
  it('rejects within the time limit if every connection is in use, and then recovers', async () => {
    const busy = [sleep(2), sleep(2)]
    await expect(selectOne()).rejects.toThrow(UnavailableError)
    await Promise.all(busy)
    expect(await selectOne()).toEqual([{ one: 1 }])
  })

  it('rejects a slow statement with UnavailableError', async () => {
    await expect(sleep(30)).rejects.toThrow(UnavailableError)
  })

  it('recovers after all of its connections are killed', async () => {
    const killer = openDatabase({ url: own.url, max: 1 })
    for (let round = 0; round < 20; round += 1) {
      const work = Array.from({ length: 4 }, () => selectOne().catch((error: unknown) => error))
      await killer.use(({ rows }) =>
        rows(sql`select pg_terminate_backend(pid) from pg_stat_activity
          where application_name = 'checkout-desk general' and pid <> pg_backend_pid() and datname = current_database()`),
      )
      for (const response of await Promise.all(work)) {
        if (response instanceof Error) expect(isUnavailable(response)).toBe(true)
        else expect(response).toEqual([{ one: 1 }])
      }
    }
    await killer.close(0)
    await expect.poll(() => selectOne().catch(() => undefined)).toEqual([{ one: 1 }])
  })

  it('waits for a transaction for as long as its caller allows, and then replaces the pool', async () => {
    const strictPool = openDatabase({ url: own.url, max: 1, statementMs: 200 })
    const run = (maxMs?: number) =>
      strictPool.transaction(
        async ({ rows }) => {
          await rows(sql`select set_config('statement_timeout', '60000', true)`)
          return rows<{ pid: number }>(sql`select pg_backend_pid() as pid from pg_sleep(1)`)
        },
        undefined,
        maxMs,
      )
    const first = await run(60_000)
    expect(await strictPool.use(({ rows }) => rows(sql`select pg_backend_pid() as pid`))).toEqual(first)
    await expect(run()).rejects.toMatchObject({ code: 'driver_stalled' })
    expect(await strictPool.use(({ rows }) => rows(sql`select pg_backend_pid() as pid`))).not.toEqual(first)
    await strictPool.close(0)
  })

  it('rejects further statements of a transaction that takes longer than its caller allows, and keeps the pool', async () => {
    const strictPool = openDatabase({ url: own.url, max: 1, statementMs: 200 })
    const readPid = () => strictPool.use(({ rows }) => rows(sql`select pg_backend_pid() as pid`))
    const pid = await readPid()
    const endless = async ({ rows }: Connection) => {
      for (;;) await rows(sql`select pg_sleep(0.05)`)
    }
    await expect(strictPool.transaction(endless, undefined, 500)).rejects.toMatchObject({ code: 'statement_timeout' })
    expect(await readPid()).toEqual(pid)
    await strictPool.close(0)
  })

  it('does not count time during which the process was blocked', async () => {
    const strictPool = openDatabase({ url: own.url, max: 1, statementMs: 200 })
    const selectOne = () => strictPool.use(({ rows }) => rows(sql`select 1 as one`))
    await selectOne()
    const response = selectOne()
    // The statement has been sent. The timers run before the response is read.
    setImmediate(() => {
      const until = performance.now() + 900
      while (performance.now() < until);
    })
    expect(await response).toEqual([{ one: 1 }])
    await strictPool.close(0)
  })

  it('prepares repeated statements, but only up to a limit on the total length of all prepared statements', async () => {
    const fresh = openDatabase({ url: own.url, max: 1 })
    const read = () =>
      fresh.use(({ rows }) =>
        rows<{ count: number; length: number }>(sql`
          select count(*)::int as count, sum(length(statement))::int as length from pg_prepared_statements where statement like 'select $1%'`),
      )
    const run = (length: number) =>
      fresh.use(({ rows }) => rows<{ text: string }>(sql`select ${'x'}::text || ${sql.raw(`'${'y'.repeat(length)}'`)} as text`))
    try {
      await run(1)
      await run(1)
      expect(await read()).toMatchObject([{ count: 1 }])
      // Statements beyond the limit, which are not prepared, return the same values and columns.
      for (let length = 5_000; length < 5_120; length += 1) expect(await run(length)).toEqual([{ text: `x${'y'.repeat(length)}` }])
      const [full] = await read()
      expect(full?.count).toBeGreaterThan(90)
      expect(full?.length).toBeLessThan(510_000)
      await Promise.all([run(5_119), run(5_119), run(1)])
      expect(await read()).toEqual([full])
    } finally {
      await fresh.close(0)
    }
  })

  it('sends and reads text arrays unchanged', async () => {
    const texts = ['', 'a,b', '"{quoted}"', 'NULL', '\\', 'ü 🎟']
    const fresh = openDatabase({ url: own.url, max: 1 })
    try {
      const [first] = await fresh.use(({ rows }) =>
        rows<{ given: string; none: string[]; plain: string[] }>(sql`
          select array_to_json(${sql.param(texts)}::text[])::text as given, ${sql.param([])}::text[] as none, array['a', 'b c'] as plain`),
      )
      expect([JSON.parse(first?.given ?? ''), first?.none, first?.plain]).toEqual([texts, [], ['a', 'b c']])
    } finally {
      await fresh.close(0)
    }
  })

  it('throws UnavailableError if no server is listening', async () => {
    const nowhere = openDatabase({ url: 'postgres://nobody@127.0.0.1:9/none', max: 1 })
    await expect(nowhere.use(({ rows }) => rows(sql`select 1`))).rejects.toThrow(UnavailableError)
    await nowhere.close(0)
  })

  it('rolls back a transaction whose callback throws', async () => {
    await pool.use(({ rows }) => rows(sql`create table if not exists rolled (id int)`))
    await expect(
      pool.transaction(async ({ rows }) => {
        await rows(sql`insert into rolled values (1)`)
        throw new Error('stop')
      }),
    ).rejects.toThrow('stop')
    expect(await pool.use(({ rows }) => rows(sql`select * from rolled`))).toEqual([])
  })
})

describe('createSemaphore', () => {
  it('admits callers in order of arrival, ignores a second release, and rejects a caller that waits too long', async () => {
    const semaphore = createSemaphore({ name: 'the test', limit: 1, waitMs: 1000 })
    const release = await semaphore.acquire()
    const order: number[] = []
    const waiting = [1, 2].map(async (number) => {
      const releaseOwn = await semaphore.acquire()
      order.push(number)
      releaseOwn()
      releaseOwn()
    })
    release()
    await Promise.all(waiting)
    expect(order).toEqual([1, 2])
    const last = await semaphore.acquire()
    await expect(createSemaphore({ name: 'the test', limit: 0, waitMs: 1 }).acquire()).rejects.toThrow(UnavailableError)
    last()
  })
})

it('does not count time during which a connection is being opened as waiting', async () => {
  // Accepts connections but never responds.
  const server = createServer((socket) => socket.on('error', () => {}).resume()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `postgres://x@127.0.0.1:${(server.address() as AddressInfo).port}/x`
  const opening = openDatabase({ url, max: 1 })
  const readCode = () => opening.use(({ rows }) => rows(sql`select 1`)).catch(({ code }: UnavailableError) => code)
  try {
    expect(await Promise.all([readCode(), readCode()])).toEqual(['connect_timeout', 'connect_timeout'])
  } finally {
    await opening.close(0)
    server.close()
  }
})
