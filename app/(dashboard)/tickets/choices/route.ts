/** GET /tickets/choices?pageId=ID: returns the ticket types available as filters of the table. */
import { ticketRoute } from '@/app/table-request'
import { listTicketTypes } from '@/lib/listing/ticket-table'

export const GET = ticketRoute(async (query) => ({ types: await listTicketTypes(query) }))
