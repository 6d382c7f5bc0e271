/** Each kind of result has its own sound and vibration. */
import { expect, it } from 'vitest'
import { SIGNALS } from './signals'

it.each(['notes', 'vibration'] as const)('assigns different %s to each kind of result', (part) => {
  const all = Object.values(SIGNALS).map((signal) => signal[part].join(' '))
  expect(new Set(all).size).toBe(all.length)
})
