/** GET /payments/export?status=paid: returns every record that matches the list's filters, as CSV. */
import { z } from 'zod'
import { csvRoute } from '@/app/csv-response'
import { readTableQuery, type TableContext } from '@/app/table-request'
import { listCheckoutPages, toPageNames } from '@/lib/accounts/checkout-pages'
import { hasRevenue, type Resource } from '@/lib/catalog/resource'
import { type TableParams, tableParams } from '@/lib/catalog/table-params'
import { exportCsv } from '@/lib/listing/csv-export'
import { summaryLayout } from '@/lib/listing/csv-summary'
import { findProductNames } from '@/lib/listing/product-names'

/** Returns the schema of the parameters. `format` selects the layout: every member by default, or a summary of payments or bookings. */
const exportParams = (resource: Resource) =>
  tableParams(resource).extend(
    hasRevenue(resource) ? { format: z.enum(['summary'], { error: 'must be summary' }).optional() } : {},
  ) as never as z.ZodObject & z.ZodType<TableParams & { format?: 'summary' | undefined }>

export const { GET, HEAD, DELETE, PATCH, POST, PUT } = csvRoute(async (request, context: TableContext) => {
  const { name, query, params, timeZone } = await readTableQuery(request, context, exportParams)
  const isSummary = params.format !== undefined
  return {
    ...{ name, isSummary, timeZone },
    open: async () => {
      if (!isSummary) return exportCsv(query)
      const pageNames = toPageNames(await listCheckoutPages(query.sellerId))
      return exportCsv(
        query,
        summaryLayout(query.resource, timeZone, pageNames, (ids) => findProductNames(query.sellerId, ids)),
      )
    },
  }
})
