/** How scans on an offline device change the counts. */
import { expect, it } from 'vitest'
import type { SealedTicket } from '@/lib/admission/sealed-ticket'
import type { Turnout } from '@/lib/admission/turnout'
import { addMoves, countMoves, toMove } from './moves'

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
] as const)('counts %s', (_, before, direction, move) => {
  expect(toMove(before, direction, 'opera')).toEqual(move)
})

it('counts only the moves of the selected event, or those of all events', () => {
  const moves = [toMove(ticket, 'in', undefined), toMove(inside, 'out', undefined), toMove(undefined, 'in', undefined)]
  expect(countMoves(moves, 'jazz')).toEqual({ admitted: 1, left: 1, attended: 1 })
  expect(countMoves(moves, 'opera')).toEqual({ admitted: 0, left: 0, attended: 0 })
  expect(countMoves(moves, '')).toEqual({ admitted: 2, left: 1, attended: 1 })
})

it('adds the moves to the server’s counts, but never goes below zero', () => {
  const turnout = { sold: 9, attended: 4, inside: 1 } as Turnout
  expect(addMoves(turnout, { admitted: 3, left: 1, attended: 2 })).toEqual({ sold: 9, attended: 6, inside: 3 })
  expect(addMoves(turnout, { admitted: 0, left: 2, attended: 0 })).toMatchObject({ attended: 4, inside: 0 })
})
