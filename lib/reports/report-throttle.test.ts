/** The statements of reports wait for each other instead of using up the database connections. */
import { expect, it } from 'vitest'
import { ifAvailable, runReport } from './report-throttle'

it('runs two statements at a time, and the others afterward', async () => {
  const ends: (() => void)[] = []
  const reports = Array.from({ length: 10 }, (_, index) =>
    runReport('a', () => new Promise<number>((resolve) => ends.push(() => resolve(index)))),
  )
  await new Promise((resolve) => setImmediate(resolve))
  for (let ended = 0; ended < 10; ended += 1) {
    expect(ends).toHaveLength(Math.min(10, ended + 2))
    ends[ended]?.()
    await reports[ended]
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(await Promise.all(reports)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
})

it('runs another seller’s statement before the waiting statements of the first seller', async () => {
  const ends: (() => void)[] = []
  const block = () => runReport('b', () => new Promise<void>((resolve) => ends.push(resolve)))
  const first = Array.from({ length: 32 }, block)
  await expect(block()).rejects.toMatchObject({ code: 'queue_full' })
  let isDone = false
  const other = runReport('c', async () => {
    isDone = true
  })
  await new Promise((resolve) => setImmediate(resolve))
  ends[0]?.()
  await Promise.all([first[0], other])
  expect([isDone, ends.length]).toEqual([true, 3])
  for (let ended = 1; ended < first.length; ended += 1) {
    await expect.poll(() => ends.length).toBeGreaterThan(ended)
    ends[ended]?.()
  }
  await Promise.all(first)
})

it('omits a report that is unavailable, even if the error comes from another of Next’s bundles', async () => {
  const error = Object.assign(new Error('Too many reports are waiting.'), { name: 'UnavailableError', code: 'queue_full' })
  expect(await ifAvailable(Promise.reject(error))).toBeUndefined()
  await expect(ifAvailable(Promise.reject(new Error('a bug')))).rejects.toThrow('a bug')
})
