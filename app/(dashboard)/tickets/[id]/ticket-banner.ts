/** The banner of a ticket's page, with the reason why a scan would be refused. */
import { formatCheckIn, formatInstant } from '@/app/_components/cells'
import { recordCopy } from '@/app/copy/record'
import type { BookingTicket } from '@/lib/admission/booking-tickets'
import { findPriorUse } from '@/lib/admission/decide'
import type { EntryPolicy } from '@/lib/catalog/pages'
import type { Ticket } from '@/lib/catalog/ticket'
import type { Banner } from '../../[resource]/[id]/banner'

const copy = recordCopy.banners

/** The latest entry of the ticket's check-in history. */
type LatestEntry = Pick<BookingTicket, 'method' | 'day' | 'at'>

/** The members of a booking that describe its cancellation. */
export type Cancellation = Partial<Record<'status' | 'canceledBy' | 'canceledReason' | 'reason', string>>

/** Returns text such as "canceled by the customer: ill", or undefined if the booking was neither canceled nor refunded. */
function describeCancellation({ status, canceledBy, canceledReason, reason }: Cancellation): string | undefined {
  if (status === 'refunded') return copy.refunded
  if (status !== 'canceled') return undefined
  const text = canceledReason ?? reason
  return `${copy.canceled}${canceledBy ? ` ${copy.canceledBy(canceledBy)}` : ''}${text ? `: ${text}` : ''}`
}

/** Returns a banner with the reason why a scan of the ticket would be refused, or undefined if the guest would be admitted. */
export function makeTicketBanner(
  { status, canceledAt, checkInStatus }: Pick<Ticket, 'status' | 'canceledAt' | 'checkInStatus'>,
  latest: LatestEntry,
  entryPolicy: EntryPolicy,
  timeZone: string,
  booking?: Cancellation,
): Banner | undefined {
  if (status === 'CANCELED') {
    const details = canceledAt ? [formatInstant(canceledAt, timeZone)] : []
    const reason = copy.ticketCanceledReason(booking && describeCancellation(booking))
    return { tone: 'bad', title: copy.ticketCanceled, reason, details }
  }
  const use = findPriorUse({ checkInStatus, entryPolicy, lastMethod: latest.method })
  if (use === undefined) return undefined
  const { title, reason } = copy.ticketUse[use]
  return { tone: 'warn', title: title(formatCheckIn(latest, timeZone) ?? ''), reason, details: [] }
}
