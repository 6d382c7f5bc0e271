/** The results that a device shows for the server’s responses and its own decisions. */
import { expect, it } from 'vitest'
import type { Guest } from '@/lib/admission/guests'
import type { SealedTicket } from '@/lib/admission/sealed-ticket'
import type { TicketDetails } from '@/lib/admission/ticket-details'
import { toLocalOutcome, toOutcome } from './outcomes'

it.each([
  ['a guest who enters', { checkIn: true }, 'paper-ticket'],
  ['a guest who leaves', { checkIn: true, direction: 'out' as const }, undefined],
  ['a preview', { checkIn: false }, undefined],
])('offers to override an unknown code only if the guest enters: %s', (_, scan, override) => {
  const decision = { kind: 'unknown' as const, message: undefined, index: '' }
  const { details } = toLocalOutcome(
    { decidedBy: 'device', decision, scanId: 'x', listUpdatedAt: 0, isHeld: false },
    { id: 'x', code: 'paper-ticket', ...scan },
    'UTC',
  )
  expect(details?.local?.override?.code).toBe(override)
})

it('shows “Not checked” for a code that may belong to a ticket missing from the list, and offers to override it', () => {
  const sent = {
    decidedBy: 'device',
    decision: { kind: 'unknown', message: undefined, index: '' },
    scanId: 'x',
    listUpdatedAt: Date.UTC(2026, 6, 1),
    isHeld: false,
  } as const
  const show = (waiting?: number) =>
    toLocalOutcome({ ...sent, ...(waiting !== undefined && { waiting }) }, { id: 'x', code: 'short', checkIn: true }, 'UTC')
  const { kind, details } = show(2)
  expect([kind, details?.local?.override?.code]).toEqual(['failed', 'short'])
  expect(details?.local?.hint).toMatch(
    /^Not on this device’s list \(updated .+\), which still lacks 2 tickets\. This may be one of them\.$/,
  )
  expect(show().kind).toBe('unknown')
})

it('shows the guest of a manual check-in, without a link, if the response contains no ticket', () => {
  const guest = { id: 't1', name: 'Ada' } as Guest
  const data = { kind: 'unknown' as const, message: 'No ticket has this code', didCheckIn: false, replayed: false }
  const { details } = toOutcome({ outcome: 'ok', data }, 'UTC', guest)
  expect(details).toMatchObject({ guest: 'Ada', message: data.message })
  expect(details?.ticketId).toBeUndefined()
})

it('shows which door checked in a guest only if the guest is already checked in', () => {
  const ticket = { guest: {}, history: [{ who: 'Gate 1' }, { who: 'Gate 2' }] } as TicketDetails
  const show = (kind: 'admitted' | 'already_checked_in') =>
    toOutcome({ outcome: 'ok', data: { kind, message: 'Already checked in', didCheckIn: false, replayed: false, ticket } }, 'UTC').details
      ?.message
  expect(show('already_checked_in')).toBe('Already checked in (Gate 2)')
  expect(show('admitted')).toBe('Already checked in')
})

it.each([
  [1, '1 other ticket in this order'],
  [51, 'More than 50 other tickets in this order'],
])('shows the number of other tickets: %i', (others, text) => {
  const ticket = { others, name: 'Ada', type: null, shortId: null } as SealedTicket
  const { details } = toLocalOutcome(
    {
      decidedBy: 'device',
      decision: { kind: 'admitted', message: 'Ticket validated', index: '', ticket },
      scanId: 'x',
      listUpdatedAt: 0,
      isHeld: false,
    },
    { id: 'x', code: 'paper-ticket', checkIn: true },
    'UTC',
  )
  expect(details?.local?.hint).toContain(text)
})
