/** POST /tickets/columns: stores which columns of the tickets table are shown to the user. */
import { columnsRoute } from '@/app/table-columns'
import { TICKET_COLUMNS } from '@/lib/catalog/ticket-table'

export const POST = columnsRoute(async () => ({ name: 'tickets', columns: TICKET_COLUMNS }))
