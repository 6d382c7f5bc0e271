/** GET /tickets/choices?pageId=ID: the types of tickets that the table can be filtered by. */
import { answerAboutTickets } from '@/app/table-request'
import { listTicketTypes } from '@/lib/listing/ticket-table'

export const GET = answerAboutTickets(async (query) => ({ types: await listTicketTypes(query) }))
