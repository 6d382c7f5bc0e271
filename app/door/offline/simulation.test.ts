/** Simulates an evening at the doors (testing/door-simulation.ts). `npm run suite -- door` runs it at full size. */
import 'fake-indexeddb/auto'
import { afterAll, describe, expect, it } from 'vitest'
import { simulateDoors } from '@/testing/door-simulation'
import { openTestDatabase } from '@/testing/seller'

const isFullSize = process.env.DOOR_SIMULATION !== undefined
const seeds = isFullSize ? String(process.env.DOOR_SIMULATION).split(',').map(Number) : [1]
const size = isFullSize
  ? { guests: 3_000, devices: 10, copies: 60, canceled: 30, orders: 20 }
  : { guests: 120, devices: 4, copies: 8, canceled: 5, orders: 2 }

// Other test files in this worker use the shared database.
afterAll(openTestDatabase)

describe(`${size.devices} doors with ${size.guests} guests, copied and canceled tickets, wrong clocks, a lost connection and killed pages`, () => {
  it.each(seeds)(
    'record every scan once, count the people inside correctly, and reach the same state regardless of arrival order (seed %i)',
    { tags: 'slow', timeout: 3_600_000 },
    async (seed) => {
      const result = await simulateDoors(seed, size)
      if (isFullSize) process.stdout.write(`seed ${seed}: ${JSON.stringify(result)}\n`)
      expect(result).toMatchObject({ problems: [], states: 1 })
      expect(result.late).toBeGreaterThan(size.guests / 10)
      expect(result.conflicts.double_entry).toBeGreaterThan(0)
      expect(result.conflicts.canceled).toBeGreaterThan(0)
    },
  )
})
