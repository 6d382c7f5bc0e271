/** A device's updates run at intervals, one at a time, and earlier on request. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createUpdateTimer } from './update-timer'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Starts a timer whose updates take a second, with 15 seconds between them. @returns the times of the updates, in seconds */
function start() {
  const origin = performance.now()
  const times: number[] = []
  const timer = createUpdateTimer(async () => {
    times.push(Math.round((performance.now() - origin) / 1000))
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    return 15_000
  })
  timer.runWithin(0)
  return { timer, times }
}

it('updates at intervals until it is stopped', async () => {
  const { timer, times } = start()
  await vi.advanceTimersByTimeAsync(33_000)
  expect(times).toEqual([0, 16, 32])
  timer.stop()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(times).toHaveLength(3)
})

it('runs an update earlier if requested, but never later', async () => {
  const { timer, times } = start()
  await vi.advanceTimersByTimeAsync(2_000)
  timer.runWithin(5_000)
  timer.runWithin(10_000)
  await vi.advanceTimersByTimeAsync(6_000)
  expect(times).toEqual([0, 7])
})

it('runs another update if one is requested during an update', async () => {
  const { timer, times } = start()
  await vi.advanceTimersByTimeAsync(500)
  timer.runWithin(0)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(times).toEqual([0, 1])
})
