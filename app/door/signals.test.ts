/** What a pocket feels and an ear hears must tell the answers apart. */
import { expect, it } from 'vitest'
import { SIGNALS } from './signals'

it.each(['notes', 'vibration'] as const)('no two answers share their %s', (what) => {
  const all = Object.values(SIGNALS).map((signal) => signal[what].join(' '))
  expect(new Set(all).size).toBe(all.length)
})
