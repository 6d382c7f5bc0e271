/** GET /tickets/export?checkInStatus=CHECKEDIN: returns every ticket that matches the table's filters, as CSV. */
import { csvRoute, formatParam } from '@/app/csv-response'
import { readTicketQuery } from '@/app/table-request'
import { listCheckoutPages, toPageNames } from '@/lib/accounts/checkout-pages'
import { ticketTableParams } from '@/lib/catalog/ticket-table'
import { exportTickets, guestListLayout } from '@/lib/listing/ticket-csv'

const exportParams = ticketTableParams.extend({ format: formatParam })

export const { GET, HEAD, DELETE, PATCH, POST, PUT } = csvRoute(async (request) => {
  const { query, params, timeZone } = await readTicketQuery(request, exportParams)
  const isSummary = params.format !== undefined
  return {
    name: 'tickets',
    isSummary,
    timeZone,
    open: async () =>
      isSummary
        ? exportTickets(query, guestListLayout(timeZone, toPageNames(await listCheckoutPages(query.sellerId))))
        : exportTickets(query),
  }
})
