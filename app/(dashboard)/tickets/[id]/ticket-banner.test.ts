/** Tests that a ticket's page has a banner if and only if the server would refuse a scan, and what the banner says. */
import { describe, expect, it } from 'vitest'
import { decideValidation } from '@/lib/admission/decide'
import { entryPolicy } from '@/lib/catalog/pages'
import type { CheckIn, Ticket } from '@/lib/catalog/ticket'
import { makeTicketBanner } from './ticket-banner'

const now = new Date('2026-11-21T19:42:00.000Z')
const AT = '2026-11-21T18:00:00.000Z'

const histories: [string, Pick<CheckIn, 'status' | 'method'> | undefined][] = [
  ['no check-in', undefined],
  ['a check-in', { status: 'CHECKEDIN', method: 'QRSCAN' }],
  ['a check-out', { status: 'UNCHECKEDIN', method: 'QRSCAN' }],
  ['an undone check-in', { status: 'UNCHECKEDIN', method: 'MANUAL' }],
]
const cases = (['PAID', 'CANCELED'] as const).flatMap((status) =>
  entryPolicy.options.flatMap((policy) => histories.map(([name, latest]) => [status, policy, name, latest] as const)),
)

function makeTicket(status: Ticket['status'], latest: Pick<CheckIn, 'status' | 'method'> | undefined): Ticket {
  const entry = latest && { ...latest, checkedInAt: '2026-11-21', checkedInByUserId: 'u' }
  return {
    id: '650000015a117e0e00000001',
    sellerId: 's',
    status,
    checkIns: entry ? [entry] : [],
    ...(entry ? { latestCheckIn: entry } : {}),
    checkInStatus: entry?.status ?? 'UNCHECKEDIN',
    metadata: [],
    createdAt: AT,
    updatedAt: AT,
  }
}

describe('makeTicketBanner', () => {
  it.each(cases)('returns a banner for a %s ticket with policy %s and %s if and only if a scan is refused', (status, policy, _, latest) => {
    const ticket = makeTicket(status, latest)
    const context = { ticket, lastAt: undefined, entryPolicy: policy, extraInside: 0, pageName: undefined, timeZone: 'UTC', now }
    const { outcome } = decideValidation(context, { checkIn: true, metadata: [], actorId: 'u' })
    const banner = makeTicketBanner(ticket, { method: latest?.method ?? null, day: null, at: latest ? AT : null }, policy, 'UTC')
    expect(banner === undefined).toBe(outcome === 'admitted')
  })

  it.each([
    [undefined, 'This ticket won’t be accepted at check-in. Refunding or canceling a booking cancels its tickets.'],
    [{ status: 'paid' }, 'This ticket won’t be accepted at check-in. Refunding or canceling a booking cancels its tickets.'],
    [{ status: 'refunded' }, 'This ticket won’t be accepted at check-in. The booking was refunded.'],
    [{ status: 'canceled' }, 'This ticket won’t be accepted at check-in. The booking was canceled.'],
    [
      { status: 'canceled', canceledBy: 'customer', canceledReason: 'ill' },
      'This ticket won’t be accepted at check-in. The booking was canceled by the customer: ill.',
    ],
    [{ status: 'canceled', reason: 'Moved away.' }, 'This ticket won’t be accepted at check-in. The booking was canceled: Moved away.'],
  ])('explains why a ticket was canceled if its booking is %j', (booking, reason) => {
    const banner = makeTicketBanner(makeTicket('CANCELED', undefined), { method: null, day: null, at: null }, 'single', 'UTC', booking)
    expect(banner?.reason).toBe(reason)
  })

  it.each(['Pacific/Honolulu', 'Asia/Tokyo'])('shows only the day of a check-out with an unknown time, in the time zone %s', (timeZone) => {
    const ticket = makeTicket('PAID', { status: 'UNCHECKEDIN', method: 'QRSCAN' })
    const banner = makeTicketBanner(ticket, { method: 'QRSCAN', day: '2026-11-21', at: null }, 'single', timeZone)
    expect(banner?.title).toBe('Guest already checked out: Nov 21, 2026')
  })
})
