/** The counts that a device shows until the server sends new ones. */
import { beforeEach, expect, it, vi } from 'vitest'
import type { Turnout } from '@/lib/admission/turnout'
import { chooseCounts, rememberCounts } from './last-counts'

const toTurnout = (attended: number) => ({ attended, sold: 9, inside: attended }) as Turnout
const initial = { turnout: toTurnout(1), at: 1_000 }
const events = [{ id: 'jazz', name: 'Jazz', startsAt: null, endsAt: null, capacity: 5, attended: 2, sold: 4 }]

beforeEach(() => {
  const stored = new Map<string, string>()
  const localStorage = { getItem: (key: string) => stored.get(key) ?? null, setItem: (key: string, text: string) => stored.set(key, text) }
  vi.stubGlobal('window', { localStorage })
})

it('are those of the page for its own event', () => {
  expect(chooseCounts('', initial, '', events)).toEqual(initial)
})

it('are of the selected event, even if the page was made for another one', () => {
  expect(chooseCounts('jazz', initial, '', events)).toMatchObject({ at: 1_000, turnout: { attended: 2, sold: 4, capacity: 5 } })
})

it('are the last ones of this event that the server has sent, if they are newer than the page', () => {
  rememberCounts('jazz', { turnout: toTurnout(3), at: 2_000 })
  rememberCounts('', { turnout: toTurnout(7), at: 500 })
  expect(chooseCounts('jazz', initial, '', events)).toEqual({ turnout: toTurnout(3), at: 2_000 })
  expect(chooseCounts('', initial, '', events)).toEqual(initial)
})

it('are those of the page if the browser has no storage', () => {
  vi.stubGlobal('window', {})
  rememberCounts('', { turnout: toTurnout(3), at: 2_000 })
  expect(chooseCounts('', initial, '', events)).toEqual(initial)
})
