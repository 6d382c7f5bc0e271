/** How a device's scans change the counts that it shows until the server's counts include the scans. */
import { expect, it } from 'vitest'
import type { SealedTicket } from '@/lib/admission/sealed-ticket'
import type { Turnout } from '@/lib/admission/turnout'
import { applyCountChanges, sumCountChanges, toCountChange } from './count-changes'

const ticket: SealedTicket = {
  ...{ id: '1', shortId: null, pageId: 'jazz', isCanceled: false, canceledAt: null, checkInStatus: 'UNCHECKEDIN', last: null },
  ...{ type: null, name: null, others: 0 },
}
const last = { day: '2026-11-20', at: null, gate: null }
const left = { ...ticket, last: { ...last, status: 'UNCHECKEDIN', method: 'QRSCAN' } } as const
const undone = { ...ticket, last: { ...last, status: 'UNCHECKEDIN', method: 'MANUAL' } } as const
const inside = { ...ticket, checkInStatus: 'CHECKEDIN' } as const

it.each([
  ['a guest’s first entry', ticket, 'in', { pageId: 'jazz', inside: 1, attended: 1 }],
  ['an entry after an undone check-in', undone, 'in', { pageId: 'jazz', inside: 1, attended: 1 }],
  ['a guest who returns', left, 'in', { pageId: 'jazz', inside: 1, attended: 0 }],
  ['another person with the same ticket', inside, 'in', { pageId: 'jazz', inside: 1, attended: 0 }],
  ['a guest without a ticket', undefined, 'in', { pageId: 'opera', inside: 1, attended: 0 }],
  ['a guest who leaves', inside, 'out', { pageId: 'jazz', inside: -1, attended: 0 }],
] as const)('returns the change made by %s', (_, before, direction, change) => {
  expect(toCountChange(before, direction, 'opera')).toEqual(change)
})

it('adds up the changes for an event, or for all events', () => {
  const status = {
    countChanges: [toCountChange(ticket, 'in', undefined), toCountChange(inside, 'out', undefined)],
    delivered: [toCountChange(undefined, 'in', undefined)],
  }
  expect(sumCountChanges(status, 'jazz')).toEqual({ admitted: 1, left: 1, attended: 1 })
  expect(sumCountChanges(status, 'opera')).toEqual({ admitted: 0, left: 0, attended: 0 })
  expect(sumCountChanges(status, '')).toEqual({ admitted: 2, left: 1, attended: 1 })
})

it('adds the changes to the server’s counts, and never counts fewer than 0 people inside', () => {
  const turnout = { sold: 9, attended: 4, inside: 1 } as Turnout
  expect(applyCountChanges(turnout, { admitted: 3, left: 1, attended: 2 })).toEqual({ sold: 9, attended: 6, inside: 3 })
  expect(applyCountChanges(turnout, { admitted: 0, left: 2, attended: 0 })).toMatchObject({ attended: 4, inside: 0 })
})
