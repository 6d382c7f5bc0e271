/** The counts that a device shows until the server sends new ones. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Turnout } from '@/lib/admission/turnout'
import { chooseCounts, rememberCounts } from './last-counts'

const toTurnout = (attended: number) => ({ attended, sold: 9, inside: attended }) as Turnout
const initial = { turnout: toTurnout(1), at: 1_000 }
const events = [{ id: 'jazz', name: 'Jazz', startsAt: null, endsAt: null, capacity: 5, attended: 2, inside: 1, sold: 4 }]
const page = { initial, firstPageId: '', events }

beforeEach(() => {
  const stored = new Map<string, string>()
  const localStorage = { getItem: (key: string) => stored.get(key) ?? null, setItem: (key: string, text: string) => stored.set(key, text) }
  vi.stubGlobal('window', { localStorage })
})

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

it('returns the page’s complete counts for the event that the page was rendered for', () => {
  expect(chooseCounts('shop', '', page)).toEqual(initial)
})

it('returns the page’s totals for another event', () => {
  expect(chooseCounts('shop', 'jazz', page)).toMatchObject({ at: 1_000, turnout: { attended: 2, inside: 1, sold: 4, capacity: 5 } })
})

it('returns the last counts that were received for the event if they are newer than the page', () => {
  rememberCounts('shop', 'jazz', { ...toTurnout(3), at: 2_000 })
  rememberCounts('shop', '', { ...toTurnout(7), at: 500 })
  expect(chooseCounts('shop', 'jazz', page)).toEqual({ turnout: toTurnout(3), at: 2_000 })
  expect(chooseCounts('shop', '', page)).toEqual(initial)
})

it('compares times on the server’s clock, because the device’s may be slow', () => {
  vi.useFakeTimers({ now: 0 })
  rememberCounts('shop', '', { ...toTurnout(7), at: 2_000 })
  expect(chooseCounts('shop', '', page)).toEqual({ turnout: toTurnout(7), at: 2_000 })
})

it('does not return the counts of another shop in the same browser', () => {
  rememberCounts('other', '', { ...toTurnout(7), at: 2_000 })
  expect(chooseCounts('shop', '', page)).toEqual(initial)
  expect(chooseCounts('other', '', page)).toEqual({ turnout: toTurnout(7), at: 2_000 })
})

it('returns the page’s counts if the browser has no storage', () => {
  vi.stubGlobal('window', {})
  rememberCounts('shop', '', { ...toTurnout(3), at: 2_000 })
  expect(chooseCounts('shop', '', page)).toEqual(initial)
})
