/** Tests the percentiles that the fault tests and benchmarks rely on. */
import { expect, it } from 'vitest'
import { percentile } from './percentile'

/** Returns the numbers from `count` down to 1. */
const numbers = (count: number) => Array.from({ length: count }, (_, index) => count - index)

it('returns the value at the nearest rank', () => {
  const fractions = [0, 0.5, 0.95, 0.99, 1]
  for (const [count, expected] of [
    [100, [1, 50, 95, 99, 100]],
    [10, [1, 5, 10, 10, 10]],
    [5, [1, 3, 5, 5, 5]],
    [1, [1, 1, 1, 1, 1]],
  ] as const)
    expect(fractions.map((fraction) => percentile(numbers(count), fraction))).toEqual([...expected])
  expect(percentile([], 0.5)).toBeNaN()
})
