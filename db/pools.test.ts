/** Tests that each kind of work has its own connections, which no other kind can exhaust. */
// @module-tag slow
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { type Database, database, openedPools, setDatabase } from './client'
import { openPools, warmUpPools } from './pools'
import { UnavailableError, unavailableReason } from './unavailable'

let pools: Database
beforeAll(() => {
  pools = openPools(String(process.env.TEST_DATABASE_URL))
})
afterAll(async () => {
  await pools.close(0)
  setDatabase(undefined)
})

const sleep = (seconds: number) => (pool: Database) => pool.use(({ rows }) => rows(sql`select pg_sleep(${seconds}::float8)`))

it('serves check-in and looks up keys while every connection of the general pool is busy', async () => {
  const connections = 5
  const sleepers = Array.from({ length: connections }, () => sleep(2)(database()))
  expect(database().load()).toEqual({ active: connections, waiting: 0, refused: 0 })
  await expect(sleep(0)(database())).rejects.toThrow(UnavailableError)
  for (const name of ['doors', 'auth', 'doorAuth'] as const) await sleep(0)(database(name))
  await Promise.all(sleepers)
  expect(openedPools().map(([name]) => name)).toEqual(['general', 'doors', 'auth', 'doorAuth', 'jobs'])
})

it('uses a shorter lock timeout for check-in', async () => {
  const locks = await Promise.all(
    (['doors', 'general'] as const).map((name) =>
      database(name).use(({ rows }) => rows<{ ms: number }>(sql`select setting::int as ms from pg_settings where name = 'lock_timeout'`)),
    ),
  )
  expect(locks.flat()).toEqual([{ ms: 1_000 }, { ms: 2_000 }])
})

it('opens 14 connections for check-in and two in every other pool before the first request', async () => {
  for (const [, pool] of openedPools()) pool.rebuild()
  await warmUpPools()
  const [now] = await database().use(({ rows }) => rows<{ at: string }>(sql`select clock_timestamp()::text as at`))
  const isWarm = (pool: Database) =>
    pool.use(({ rows }) =>
      rows<{ old: boolean }>(sql`
        select backend_start <= ${now?.at}::timestamptz as old, pg_sleep(0.05)::text from pg_stat_activity where pid = pg_backend_pid()`),
    )
  const count = (name: string) => (name === 'doors' ? 14 : 2)
  const warm = await Promise.all(openedPools().flatMap(([name, pool]) => Array.from({ length: count(name) }, () => isWarm(pool))))
  expect(warm.map(([row]) => row?.old)).toEqual(Array(22).fill(true))
})

it('reports an unavailable replica while the pools are warmed up, but does not fail', async () => {
  const url = String(process.env.TEST_DATABASE_URL)
  const onChange = vi.fn()
  await pools.close(0)
  const withReplica = openPools(url, url.replace(/\/[^/]*$/, '/no_such_database'), onChange)
  try {
    await warmUpPools()
    expect(onChange.mock.calls.map(([isDown, error]) => [isDown, unavailableReason(error)])).toEqual([[true, 'connection_rejected']])
  } finally {
    await withReplica.close(0)
    pools = openPools(url)
  }
})

it('keeps the connections for key lookups open, and closes those for check-in after a minute of inactivity', async () => {
  const listBackends = async (name: 'doors' | 'auth' | 'doorAuth') => {
    const readPid = () => database(name).use(({ rows }) => rows<{ pid: number }>(sql`select pg_backend_pid() as pid, pg_sleep(0.05)::text`))
    return (await Promise.all([readPid(), readPid()])).map(([row]) => row?.pid).sort()
  }
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true })
  try {
    const names = ['doors', 'auth', 'doorAuth'] as const
    // Open new connections, because any opened before this point do not use the fake timers.
    for (const [, pool] of openedPools()) pool.rebuild()
    const before = await Promise.all(names.map(listBackends))
    vi.advanceTimersByTime(61_000)
    const after = await Promise.all(names.map(listBackends))
    expect(after.slice(1)).toEqual(before.slice(1))
    expect(after[0]?.some((pid) => before[0]?.includes(pid))).toBe(false)
  } finally {
    vi.useRealTimers()
  }
})
