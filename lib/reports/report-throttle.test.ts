/** The statements of reports wait for each other instead of using up the connections. */
import { expect, it } from 'vitest'
import { runReport } from './report-throttle'

it('runs two statements at a time, and the others afterward', async () => {
  const ends: (() => void)[] = []
  const reports = Array.from({ length: 10 }, (_, at) => runReport(() => new Promise<number>((resolve) => ends.push(() => resolve(at)))))
  await new Promise((resolve) => setImmediate(resolve))
  for (let ended = 0; ended < 10; ended += 1) {
    expect(ends).toHaveLength(Math.min(10, ended + 2))
    ends[ended]?.()
    await reports[ended]
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(await Promise.all(reports)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
})
