/** GET /tickets/newer?ending_before=ID: counts the tickets before the given one in the table, up to 1,000. */
import { MAX_NEWER, ticketRoute } from '@/app/table-request'
import { countPrecedingTickets } from '@/lib/listing/ticket-table'

export const GET = ticketRoute(async ({ cursor, ...query }) => ({
  count: cursor === undefined ? 0 : await countPrecedingTickets({ ...query, cursor }, MAX_NEWER),
}))
