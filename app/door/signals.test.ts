/** Each outcome of a scan can be told by its sound and by its vibration. */
import { expect, it } from 'vitest'
import { SIGNALS } from './signals'

it.each(['notes', 'vibration'] as const)('assigns each outcome different %s', (what) => {
  const all = Object.values(SIGNALS).map((signal) => signal[what].join(' '))
  expect(new Set(all).size).toBe(all.length)
})
