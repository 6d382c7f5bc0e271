/** An import pauses after each batch while tickets are being checked in. */
import * as timers from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { type Database, database } from '@/db/client'
import { isMigrated } from '@/db/is-migrated'
import { openPools } from '@/db/pools'
import { withOwnDatabase } from '@/testing/own-database'
import { importLines, makeSeller, minimal } from '@/testing/seller'
import { newObjectId } from '../../core/object-id'

const testDatabase = withOwnDatabase()
let pools: Database
beforeAll(() => {
  pools = openPools(testDatabase.url)
})
afterAll(() => pools.close())

vi.mock('node:timers/promises', async (load) => {
  const real = await load<typeof timers>()
  return { ...real, setTimeout: vi.fn(real.setTimeout) }
})

afterEach(() => vi.mocked(timers.setTimeout).mockClear())

/** Imports 600 coupons in three batches. @returns the pauses in milliseconds */
async function importCoupons(): Promise<number[]> {
  const lines = Array.from({ length: 600 }, () => ({ ...minimal('coupons'), id: newObjectId() }))
  expect(await importLines('coupons', await makeSeller(), lines)).toMatchObject({ written: 600, rejects: [] })
  return vi.mocked(timers.setTimeout).mock.calls.flatMap(([ms]) => (ms ? [ms] : []))
}

it('does not pause if check-in connections are only used to check whether the server is ready', async () => {
  await isMigrated(database('doors'))
  let isOver = false
  const probe = async () => {
    while (!isOver) await isMigrated(database('doors'))
  }
  const probes = probe()
  try {
    expect(await importCoupons()).toEqual([])
  } finally {
    isOver = true
    await probes
  }
})

it('pauses after each batch, but only while check-in connections are in use', async () => {
  expect(await importCoupons()).toEqual([])
  let isOver = false
  const checkIn = async () => {
    while (!isOver) await database('doors').use(({ rows }) => rows(sql`select pg_sleep(0.2)`))
  }
  // Several run at once, so that a connection is always in use.
  const scans = [checkIn(), checkIn(), checkIn()]
  try {
    const pauses = await importCoupons()
    expect(pauses.length).toBeGreaterThanOrEqual(3)
    expect(Math.min(...pauses)).toBeGreaterThan(1)
  } finally {
    isOver = true
    await Promise.all(scans)
  }
})
