/** The embedded PostgreSQL gets a quarter of the memory that the server may use. */
import { expect, it } from 'vitest'
import { sharedBuffers } from './embedded'

const GIB = 1024 ** 3

it.each([
  [24 * GIB, 0, '4096MB'],
  // What Node returns without a limit.
  [8 * GIB, 18_446_744_073_709_552_000, '2048MB'],
  [8 * GIB, 1 * GIB, '256MB'],
  [8 * GIB, 0.25 * GIB, '128MB'],
  [1.5 * GIB, 0, '384MB'],
])('with %d bytes of memory and a limit of %d is %s', (memory, limit, expected) => {
  expect(sharedBuffers(memory, limit)).toBe(expected)
})
