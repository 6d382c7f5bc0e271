/** Tests the percentiles that the fault tests and the benchmarks compare with their limits. */
import { percentile } from '@/testing/percentile'
// Playwright's own `test` would need another worker, because it has other fixtures.
import { test } from './support/browser'
import { expect } from './support/expect'

/** Returns the numbers from 1 to `count`, in descending order. */
const numbers = (count: number) => Array.from({ length: count }, (_, index) => count - index)

test('a percentile is the value at the nearest rank', () => {
  const shares = [0, 0.5, 0.95, 0.99, 1]
  for (const [count, expected] of [
    [100, [1, 50, 95, 99, 100]],
    [10, [1, 5, 10, 10, 10]],
    [5, [1, 3, 5, 5, 5]],
    [1, [1, 1, 1, 1, 1]],
  ] as const)
    expect(shares.map((share) => percentile(numbers(count), share))).toEqual([...expected])
  expect(percentile([], 0.5)).toBe(Number.NaN)
})
