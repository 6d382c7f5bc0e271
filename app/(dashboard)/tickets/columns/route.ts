/** POST /tickets/columns: stores which columns of the tickets table the user has shown or hidden. */
import { columnsRoute } from '@/app/table-columns'
import { TICKET_COLUMNS } from '@/lib/catalog/ticket-table'

export const POST = columnsRoute(async () => ({ name: 'tickets', columns: TICKET_COLUMNS }))
