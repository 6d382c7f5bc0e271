/** GET /payments/export?status=paid: returns every record that matches the list's filters, as CSV. */
import type { z } from 'zod'
import { csvRoute, type FormatParam, formatParam } from '@/app/csv-response'
import { readTableQuery, type TableContext } from '@/app/table-request'
import { listCheckoutPages, toPageNames } from '@/lib/accounts/checkout-pages'
import { hasRevenue, type Resource } from '@/lib/catalog/resource'
import { type TableParams, tableParams } from '@/lib/catalog/table-params'
import { exportCsv } from '@/lib/listing/csv-export'
import { summaryLayout } from '@/lib/listing/csv-summary'
import { findProductNames } from '@/lib/listing/product-names'

/** Returns the schema of the parameters. Only payments and bookings have a summary. */
const exportParams = (resource: Resource) =>
  tableParams(resource).extend(hasRevenue(resource) ? { format: formatParam } : {}) as never as z.ZodObject &
    z.ZodType<TableParams & FormatParam>

export const { GET, HEAD, DELETE, PATCH, POST, PUT } = csvRoute(async (request, context: TableContext) => {
  const { name, query, params, timeZone } = await readTableQuery(request, context, exportParams)
  const isSummary = params.format !== undefined
  return {
    name,
    isSummary,
    timeZone,
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
