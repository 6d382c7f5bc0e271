/** The ticket panel offers only those actions that the server would accept. */
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import type { Guest } from '@/lib/admission/guests'
import { doorCopy } from '../copy/door'
import { type TicketActions, TicketPanel } from './ticket-panel'

const actions: TicketActions = {
  admit: () => undefined,
  admitMany: async () => new Map(),
  undo: async () => undefined,
  note: async () => undefined,
}

function render(state: Pick<Guest, 'checkInStatus' | 'canCheckIn' | 'last'>): string {
  const guest: Guest = { id: '650000015a117e0e00000001', status: 'PAID', ...state }
  const ticket = { guest, metadata: [], isFull: false, history: [], refusals: [], others: [], hasMore: false }
  return renderToStaticMarkup(
    createElement(TicketPanel, { ticket, pageId: '', isPreviewMode: false, maySearch: true, mayUndo: true, actions }),
  )
}

it('offers to undo a check-out, and to check the guest in again only if the entry policy allows it', () => {
  const left = { checkInStatus: 'UNCHECKEDIN', last: { status: 'UNCHECKEDIN', method: 'QRSCAN', when: 'today' } } as const
  const single = render({ ...left, canCheckIn: false })
  expect(single).toContain(doorCopy.undoCheckOut)
  expect(single).toContain('checked out today')
  expect(single).not.toContain(doorCopy.checkInManually)
  expect(render({ ...left, canCheckIn: true })).toContain(doorCopy.checkInManually)
})

it('offers to undo a check-in, unless it has already been undone', () => {
  const inside = render({ checkInStatus: 'CHECKEDIN', canCheckIn: false, last: { status: 'CHECKEDIN', method: 'QRSCAN', when: 'today' } })
  expect(inside).toContain(doorCopy.undo)
  const undone = render({
    checkInStatus: 'UNCHECKEDIN',
    canCheckIn: true,
    last: { status: 'UNCHECKEDIN', method: 'MANUAL', when: 'today' },
  })
  expect(undone).not.toMatch(/Undo check/)
})
