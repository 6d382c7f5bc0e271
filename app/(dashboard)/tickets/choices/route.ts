/** GET /tickets/choices?pageId=ID: returns the ticket types that the table can be filtered by. */
import { ticketRoute } from '@/app/table-request'
import { listTicketTypes } from '@/lib/listing/ticket-table'

export const GET = ticketRoute(async (query) => ({ types: await listTicketTypes(query) }))
