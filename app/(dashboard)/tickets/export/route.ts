/** GET /tickets/export?checkInStatus=CHECKEDIN: returns every ticket that matches the table's filters, as CSV. */
import { z } from 'zod'
import { csvRoute } from '@/app/csv-response'
import { readTicketQuery } from '@/app/table-request'
import { listCheckoutPages, toPageNames } from '@/lib/accounts/checkout-pages'
import { type TicketTableParams, ticketTableParams } from '@/lib/catalog/ticket-table'
import { exportTickets, guestListLayout } from '@/lib/listing/ticket-csv'

const exportParams = ticketTableParams.extend({
  format: z.enum(['summary'], { error: 'must be summary' }).optional(),
}) as never as z.ZodObject & z.ZodType<TicketTableParams & { format?: 'summary' | undefined }>

export const { GET, HEAD, DELETE, PATCH, POST, PUT } = csvRoute(async (request) => {
  const { query, params, timeZone } = await readTicketQuery(request, exportParams)
  const isSummary = params.format !== undefined
  return {
    ...{ name: 'tickets', isSummary, timeZone },
    open: async () =>
      isSummary
        ? exportTickets(query, guestListLayout(timeZone, toPageNames(await listCheckoutPages(query.sellerId))))
        : exportTickets(query),
  }
})
