/** GET /tickets/choices?pageId=ID: the types of tickets that the table can be filtered by. */
import { ticketRoute } from '@/app/table-request'
import { listTicketTypes } from '@/lib/listing/ticket-table'

export const GET = ticketRoute(async (query) => ({ types: await listTicketTypes(query) }))
