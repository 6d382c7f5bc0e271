/** Loads a ticket for its page and for the drawer next to the tickets table. */
import { recordCopy } from '@/app/copy/record'
import { listCheckoutPages } from '@/lib/accounts/checkout-pages'
import { mayUse } from '@/lib/accounts/roles'
import type { SessionUser } from '@/lib/accounts/sessions'
import { findBookingTicket } from '@/lib/admission/booking-tickets'
import type { Ticket } from '@/lib/catalog/ticket'
import { OBJECT_ID } from '@/lib/core/object-id-pattern'
import { computeEtag } from '@/lib/http/etag'
import { findAssembled } from '@/lib/listing/assembled-list'
import { findTicketBooking } from '@/lib/listing/find-ticket-booking'
import { ticketList } from '@/lib/listing/list-tickets'
import { readActivity } from '@/lib/reports/activity'
import { findCustomerHref } from '../../[resource]/[id]/load-record'
import { mergeTimeline, type TimelineEntry } from '../../[resource]/[id]/timeline'
import { type Cancellation, makeTicketBanner } from './ticket-banner'
import type { EditableTicket } from './ticket-body'

/** The members of a booking used on its tickets' pages. */
type Booking = Cancellation & { id: string; customerId?: string; tickets: { ticketTypeId?: string; name?: string }[] }

/** Returns the editable members of a ticket, with its ETag. @param json the ticket as the API returns it */
export function toEditableTicket(json: string): EditableTicket {
  const { id, status, customerName, customerEmail, metadata } = JSON.parse(json) as Ticket
  const notes = metadata.map(({ key, value }) => ({ key, value }))
  return { id, etag: computeEtag(json), customerName, customerEmail, metadata: notes, isCanceled: status === 'CANCELED' }
}

/** Returns the ticket's timestamps for the timeline. */
const listTimestamps = ({ orderedAt, createdAt, canceledAt }: Ticket): TimelineEntry[] =>
  Object.entries({ orderedAt, createdAt, canceledAt }).flatMap(([name, at]) =>
    at === undefined ? [] : [{ key: name, kind: 'record', label: recordCopy.events[name as 'createdAt'], at, details: [] }],
  )

/** Returns the ticket's booking and the path of its customer, falling back to a customer search for the guest's email address. */
async function loadBooking(sellerId: string, id: string, { customerEmail }: Ticket) {
  const json = await findTicketBooking(sellerId, id)
  const booking = json === undefined ? undefined : (JSON.parse(json) as Booking)
  return { booking, customerHref: await findCustomerHref(sellerId, { customerId: booking?.customerId, customerEmail }) }
}

/**
 * Returns a ticket with the data for its page, such as its banner and timeline, or undefined if the seller has no such ticket.
 *
 * @param rawId the ID in any letter case
 * @param readMore reads additional data in parallel, given the ticket's ID in lowercase
 */
export async function loadTicket<More>(user: SessionUser, rawId: string, readMore: (id: string) => Promise<More>) {
  const { sellerId, timeZone, role, userId } = user
  const id = rawId.toLowerCase()
  const found = OBJECT_ID.test(id) ? await findAssembled(ticketList(sellerId, {}, false), sellerId, id) : undefined
  if (!found) return undefined
  const json = Buffer.concat(found).toString()
  const record = JSON.parse(json) as Ticket
  const name = record.ticketShortId || id
  const [bookingTicket, { booking, customerHref }, pages, activity, more] = await Promise.all([
    findBookingTicket(sellerId, id),
    loadBooking(sellerId, id, record),
    listCheckoutPages(sellerId),
    readActivity(sellerId, { resource: 'tickets', id }),
    readMore(id),
  ])
  if (!bookingTicket) return undefined
  const page = pages.find(({ id: pageId }) => pageId === record.pageId)
  const typeNames = new Map(
    (booking?.tickets ?? []).flatMap(({ ticketTypeId, name: type }) => (ticketTypeId && type ? [[ticketTypeId, type] as const] : [])),
  )
  const canDeleteAny = mayUse(role, 'settings')
  return {
    id,
    json,
    record,
    name,
    bookingTicket,
    page,
    typeNames,
    more,
    customerHref,
    bookingHref: booking && `/bookings/${booking.id}`,
    banner: makeTicketBanner(record, bookingTicket, page?.entryPolicy ?? 'single', timeZone, booking),
    timeline: mergeTimeline(listTimestamps(record), activity, (note) => canDeleteAny || note.userId === userId),
  }
}
