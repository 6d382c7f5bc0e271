/** An import pauses between its batches while tickets are checked in. */
import * as timers from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { afterEach, expect, it, vi } from 'vitest'
import { database } from '@/db/client'
import { openPools } from '@/db/pools'
import { withOwnDatabase } from '@/testing/own-database'
import { importLines, makeSeller, minimal } from '@/testing/seller'
import { newObjectId } from '../../core/object-id'

const own = withOwnDatabase()

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

it('pauses after each batch, but only while check-in connections are in use', async () => {
  expect(await importCoupons()).toEqual([])
  const pools = openPools(own.url)
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
    await pools.close()
  }
})
