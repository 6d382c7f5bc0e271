/** A Retry-After header contains a number of seconds or a date. */
import { expect, it } from 'vitest'
import { parseRetryAfter } from './retry-after'

it.each([
  ['42', 42],
  [' 42 ', 42],
  ['Sat, 21 Nov 2026 12:00:30 GMT', 30],
  ['Sat, 21 Nov 2026 11:00:00 GMT', 0],
  ['not a time', undefined],
  ['', undefined],
])('parses %j as %s', (value, seconds) => {
  expect(parseRetryAfter(value, Date.UTC(2026, 10, 21, 12))).toBe(seconds)
})
