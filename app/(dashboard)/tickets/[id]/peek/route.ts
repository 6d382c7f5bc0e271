/** GET /tickets/ID/peek: returns a summary of a ticket for the drawer next to the tickets table. */
import { formatCheckIn, formatInstant } from '@/app/_components/cells'
import { listCopy } from '@/app/copy/list'
import { recordCopy } from '@/app/copy/record'
import { requestErrors } from '@/app/copy/request-errors'
import { requireCaller } from '@/app/session'
import { jsonRoute } from '@/app/table-request'
import { tickets } from '@/lib/catalog/ticket'
import { ApiError } from '@/lib/core/errors'
import { listLatestEvents, type Peek, toStatus } from '../../../[resource]/[id]/peek-view'
import { loadTicket } from '../load-ticket'

type Context = { params: Promise<{ id: string }> }

export const GET = jsonRoute(async (_request, { params }: Context): Promise<Peek> => {
  const user = await requireCaller('records')
  const loaded = await loadTicket(user, (await params).id, async () => undefined)
  if (!loaded) throw new ApiError('record_not_found', requestErrors.unknownTicket)
  const { record, name, bookingTicket, page, typeNames, banner, timeline, bookingHref, customerHref } = loaded
  const { status, checkInStatus, customerName, customerEmail, ticketTypeId, orderId, metadata } = record
  const entry = (path: string, label: string, text: string | undefined, href?: string) =>
    text ? [{ path, label, text, ...(href ? { href } : {}) }] : []
  const { columns } = recordCopy.tickets
  return {
    title: name,
    lines: [],
    charges: [],
    banner,
    customerHref,
    statuses: [status, checkInStatus].map(toStatus),
    isTest: record.livemode === false,
    person: customerName || customerEmail,
    createdAt: formatInstant(record.createdAt, user.timeZone),
    customer: [
      ...entry('customerName', columns.guest, customerName),
      ...entry('customerEmail', recordCopy.members.customerEmail, customerEmail),
    ],
    groups: [
      {
        name: 'other',
        title: page?.name ?? tickets.label.one,
        entries: [
          ...entry('ticketTypeId', columns.type, typeNames.get(ticketTypeId ?? '') ?? ticketTypeId),
          ...entry('metadata', columns.notes, metadata.map(({ key, value }) => `${key}: ${value}`).join(', ')),
          ...entry('checkIns', columns.last, formatCheckIn(bookingTicket, user.timeZone)),
          ...entry('orderId', listCopy.order, orderId, bookingHref),
        ],
      },
    ],
    timeline: listLatestEvents(timeline, user.timeZone),
  }
})
