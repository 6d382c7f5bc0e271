/** Exports the tickets of a table as CSV: either every member, or a guest list with local times and the names of events and types. */
import { database } from '@/db/client'
import { tickets } from '../catalog/ticket'
import { dayIn, timeOfDayIn } from '../core/time'
import { allFields, type CsvLayout, idChunks, writeCsv } from './csv-export'
import { type ListedTicket, readTicketIds, readTickets, type TicketQuery } from './ticket-table'

const COLUMNS = [
  'Ticket',
  'Guest',
  'Email',
  'Event',
  'Type',
  'Status',
  'Check-in',
  'Checked in on',
  'Checked in at',
  'Notes',
  'Order',
  'Created',
]

/**
 * Returns the layout of the guest list.
 *
 * @param timeZone the shop's time zone
 * @param pageNames the names of events, by ID
 */
export const guestListLayout = (timeZone: string, pageNames: ReadonlyMap<string, string>): CsvLayout => ({
  head: COLUMNS,
  toRow: (record) => {
    const ticket = record as ListedTicket
    const { checkedIn = '', pageId = '' } = ticket
    const at = checkedIn.includes('T') ? new Date(checkedIn) : undefined
    return [
      ticket.ticketShortId || ticket.id,
      ticket.customerName,
      ticket.customerEmail,
      pageNames.get(pageId) ?? pageId,
      ticket.type,
      ticket.status === 'CANCELED' ? 'canceled' : 'paid',
      ticket.checkInStatus === 'CHECKEDIN' ? 'checked in' : 'not checked in',
      at ? dayIn(timeZone, at) : checkedIn,
      at && timeOfDayIn(timeZone, at),
      ticket.metadata.map(({ key, value }) => `${key}: ${value}`).join(', '),
      ticket.orderId,
      dayIn(timeZone, new Date(ticket.createdAt)),
    ]
  },
})

/**
 * Yields the tickets of a table as CSV text, in the table's order.
 *
 * @param layout every member of a ticket by default
 * @throws the same errors as `exportCsv`
 */
export const exportTickets = (query: TicketQuery, layout = allFields({ record: tickets.record, secrets: [] })): AsyncGenerator<string> =>
  writeCsv({
    ...query,
    layout,
    async *read(runInSlot, toLines) {
      const ids = await runInSlot(() => readTicketIds(query))
      for (const chunk of idChunks(ids))
        yield await runInSlot(async () => toLines(await database().use((connection) => readTickets(connection, query.sellerId, chunk))))
    },
  })
