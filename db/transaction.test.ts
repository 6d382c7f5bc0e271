/** Tests that transactions take few round trips and are committed only if all of their statements succeed. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, Socket } from 'node:net'
import { type SQL, sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
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

/** Starts a TCP proxy to the database that counts round trips and can reset its connections. */
async function startProxy() {
  const { hostname, port } = new URL(own.url)
  const clients = new Set<Socket>()
  let roundTrips = 0
  let hasResponded = true
  const proxy = createServer((client) => {
    const server = connect(Number(port), hostname)
    clients.add(client)
    client.on('data', (bytes) => {
      if (hasResponded) roundTrips += 1
      hasResponded = false
      server.write(bytes)
    })
    server.on('data', (bytes) => {
      hasResponded = true
      client.write(bytes)
    })
    client.on('close', () => server.destroy() && clients.delete(client)).on('error', () => {})
    server.on('close', () => client.destroy()).on('error', () => {})
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  return {
    host: `127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    roundTrips: () => roundTrips,
    reset: () => {
      for (const client of clients) client.resetAndDestroy()
    },
    close: () => proxy.close(),
  }
}

const withHost = (host: string) => own.url.replace(new URL(own.url).host, host)

it.each([
  ['three round trips, because BEGIN is sent with the first statement', 3, undefined],
  ['two round trips if COMMIT is sent with the last one', 2, (connection: Connection) => connection.commit?.()],
])('a transaction of two statements takes %s', async (_, trips, commit = () => {}) => {
  const proxy = await startProxy()
  const proxiedPool = openDatabase({ url: withHost(proxy.host), max: 1 })
  const run = (n: number) =>
    proxiedPool.transaction(async (connection) => {
      await divide(connection, n)
      const pending = add(connection, n)
      commit(connection)
      await pending
    })
  try {
    // Prepare the statements.
    await run(1)
    const before = proxy.roundTrips()
    await run(2)
    expect(proxy.roundTrips() - before).toBe(trips)
    expect(await list()).toEqual([{ n: 1 }, { n: 2 }])
  } finally {
    await proxiedPool.close(0)
    proxy.close()
  }
})

describe('when a statement fails', () => {
  it('rolls the transaction back, even if COMMIT has been sent', async () => {
    const failing = pool.transaction(async (connection) => {
      const work = [add(connection, 1), divide(connection, 0)]
      connection.commit?.()
      await Promise.all(work)
    })
    await expect(failing).rejects.toThrow('division by zero')
    expect(await list()).toEqual([])
  })

  it('fails the transaction, even if the error is caught', async () => {
    const failing = pool.transaction(async (connection) => {
      await add(connection, 1)
      await divide(connection, 0).catch(() => {})
      return 'done'
    })
    await expect(failing).rejects.toThrow('division by zero')
    expect(await list()).toEqual([])
  })

  it('rejects later statements and the transaction with the first error', async () => {
    const failing = pool.transaction(async (connection) => {
      await divide(connection, 0).catch(() => {})
      await add(connection, 1)
    })
    await expect(failing).rejects.toThrow('division by zero')
  })
})

describe('a prepared statement that the server no longer has', () => {
  it('is not sent again after COMMIT', async () => {
    await pool.use((connection) => add(connection, 1))
    await pool.use(({ rows }) => rows(sql.raw('deallocate all')))
    const attempt = () =>
      pool.transaction(async (connection) => {
        await connection.rows(sql.raw('insert into numbers values (2)'))
        const pending = add(connection, 3)
        connection.commit?.()
        await pending
      })
    await expect(attempt()).rejects.toThrow('does not exist')
    expect(await list()).toEqual([{ n: 1 }])
    // The driver prepares the statement again.
    await attempt()
    expect(await list()).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }])
  })
})

it('a lost connection fails only the statements of its transaction', async () => {
  const proxy = await startProxy()
  const single = openDatabase({ url: withHost(proxy.host), max: 1 })
  const read = ({ rows }: Connection, name: string) => rows<{ name: string }>(sql`select ${name}::text as name`)
  try {
    const failed: unknown[] = []
    const lost = single.transaction(async (connection) => {
      await read(connection, 'first')
      const running = [connection.rows(sql`select pg_sleep(30)::text`), read(connection, 'second')]
      proxy.reset()
      for (const { status } of await Promise.allSettled(running)) failed.push(status)
    })
    await expect(lost).rejects.toThrow(UnavailableError)
    await expect.poll(() => failed).toEqual(['rejected', 'rejected'])
    const names = () => single.transaction((connection) => Promise.all([read(connection, 'third'), read(connection, 'fourth')]))
    expect(await names().catch(names)).toEqual([[{ name: 'third' }], [{ name: 'fourth' }]])
  } finally {
    await single.close(0)
    proxy.close()
  }
})

it('rejects statements created after the transaction has failed', async () => {
  let late: unknown
  const failing = pool.transaction(async (connection) => {
    const addAll = async () => {
      for (let n = 1; ; n += 1) await add(connection, n)
    }
    void addAll().catch((error: unknown) => {
      late = error
    })
    await add(connection, 0)
    throw new Error('stop')
  })
  await expect(failing).rejects.toThrow('stop')
  await expect.poll(() => late).toMatchObject({ message: 'The transaction has already ended.' })
  expect(await list()).toEqual([])
})

describe('a COMMIT', () => {
  it('that fails does not affect the next transaction on the connection', async () => {
    const addAll = (...numbers: number[]) =>
      pool.transaction(async (connection) => {
        for (const n of numbers) await add(connection, n)
      })
    const [failed] = await Promise.allSettled([addAll(1, 1), addAll(2, 3)])
    expect(failed).toMatchObject({ reason: { constraint_name: 'numbers_n_key' } })
    expect(await list()).toEqual([{ n: 2 }, { n: 3 }])
  })

  it('ends the transaction, so that later statements are rejected', async () => {
    const late = pool.transaction(async (connection) => {
      const pending = add(connection, 1)
      connection.commit?.()
      await pending
      await add(connection, 2)
    })
    await expect(late).rejects.toThrow('has already ended')
    expect(await list()).toEqual([{ n: 1 }])
  })
})

it('a transaction queued behind many statements has exclusive use of its connection', async () => {
  const wide = openDatabase({ url: own.url, max: 2 })
  const many = (count: number) => wide.use((connection) => Promise.all(Array.from({ length: count }, () => divide(connection, 1))))
  try {
    // Open both connections and prepare the statement on both, so that the driver distributes statements evenly from now on.
    await many(200)
    // In one of these runs, BEGIN is the hundredth statement on its connection, after which the driver stops pipelining.
    for (const [n, count] of [198, 199, 200].entries())
      await Promise.all([many(count), wide.transaction((connection) => add(connection, n))])
    await Promise.all(Array.from({ length: 2 }, (_, n) => wide.use((connection) => add(connection, n + 3))))
    expect(await list()).toEqual([0, 1, 2, 3, 4].map((n) => ({ n })))
  } finally {
    await wide.close(0)
  }
})

/** Returns the length of the longest array searched with `indexOf`, which the driver uses to remove a connection from a queue. */
async function measureLongestSearch(work: () => Promise<unknown>): Promise<number> {
  const { indexOf } = Array.prototype
  const searched: number[] = []
  const spy = vi.spyOn(Array.prototype, 'indexOf').mockImplementation(function (this: unknown[], ...args) {
    searched.push(this.length)
    return indexOf.apply(this, args)
  })
  await work()
  spy.mockRestore()
  expect(searched.length).toBeGreaterThan(0)
  return Math.max(...searched)
}

it.each([
  ['statements', (wide: Database, query: SQL) => wide.use(({ rows }) => rows(query))],
  ['transactions', (wide: Database, query: SQL) => wide.transaction(({ rows }) => rows(query))],
])('the driver’s queues do not grow with many %s while a connection is idle', async (_, run) => {
  const wide = openDatabase({ url: own.url, max: 2 })
  const one = sql`select 1`
  try {
    await Promise.all([1, 2].map(() => run(wide, sql`select pg_sleep(0.1)`)))
    for (let count = 0; count < 300; count++) await run(wide, one)
    expect(await measureLongestSearch(() => run(wide, one))).toBeLessThan(100)
  } finally {
    await wide.close(0)
  }
})

it('the driver’s queues do not grow with each new connection', async () => {
  const wide = openDatabase({ url: own.url, max: 2 })
  const kill = sql`select pg_terminate_backend(pg_backend_pid())`
  try {
    for (let count = 0; count < 100; count++) await wide.use(({ rows }) => rows(kill)).catch(() => {})
    expect(await measureLongestSearch(() => wide.use(({ rows }) => rows(kill)).catch(() => {}))).toBeLessThan(30)
  } finally {
    await wide.close(0)
  }
})

it('does not reuse a connection that has an open transaction but was not reserved for it', async () => {
  const wide = openDatabase({ url: own.url, max: 2 })
  const { write } = Socket.prototype
  try {
    await Promise.all([1, 2].map(() => wide.use(({ rows }) => rows(sql`select pg_sleep(0.1)`))))
    // If `write` returns false, the driver does not reserve the connection for the transaction. It calls `write` immediately only if at
    // least 1,024 bytes are waiting.
    const spy = vi.spyOn(Socket.prototype, 'write').mockImplementation(function (this: Socket, ...args: unknown[]) {
      const isWritable: boolean = Reflect.apply(write, this, args)
      return isWritable && !String(args[0]).includes('begin\0')
    })
    const long = sql.raw(`select '${'x'.repeat(1000)}'`)
    const sent = [wide.use(({ rows }) => Promise.all([rows(long), rows(long)])), wide.transaction((connection) => add(connection, 1))]
    await expect(Promise.all(sent)).rejects.toMatchObject({ code: 'connection_lost' })
    spy.mockRestore()
    await Promise.all([2, 3].map((n) => wide.use((connection) => add(connection, n))))
    expect(await list()).toEqual([{ n: 2 }, { n: 3 }])
  } finally {
    vi.restoreAllMocks()
    await wide.close(0)
  }
})

describe('a transaction that gets no connection', () => {
  it.each([
    ['immediately', () => undefined],
    ['later', () => new Promise(setImmediate)],
  ])('rejects the statements that are created %s', async (_, wait) => {
    const ended = openDatabase({ url: own.url, max: 1 })
    await ended.close(0)
    let statement: unknown
    const failing = ended.transaction(async (connection) => {
      await wait()
      statement = await add(connection, 1).catch((error: unknown) => error)
    })
    await expect(failing).rejects.toThrow(UnavailableError)
    await expect.poll(() => statement).toBeInstanceOf(Error)
  })
})
