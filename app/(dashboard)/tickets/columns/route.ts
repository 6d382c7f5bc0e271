/** POST /tickets/columns: stores which columns of the table of tickets the user shows. */
import { keepShownColumns } from '@/app/table-columns'
import { TICKET_COLUMNS } from '@/lib/catalog/ticket-table'

export const POST = keepShownColumns(async () => ({ name: 'tickets', columns: TICKET_COLUMNS }))
