/** Each outcome of a scan has a distinct sound and vibration. */
import { expect, it } from 'vitest'
import { SIGNALS } from './signals'

it.each(['notes', 'vibration'] as const)('assigns each outcome different %s', (what) => {
  const all = Object.values(SIGNALS).map((signal) => signal[what].join(' '))
  expect(new Set(all).size).toBe(all.length)
})
