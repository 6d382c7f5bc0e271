/** GET /payments/export?status=paid: every record that matches the list's filters, as CSV. */
import { z } from 'zod'
import { readTableQuery } from '@/app/table-request'
import { listCheckoutPages } from '@/lib/accounts/checkout-pages'
import { isSold, type Resource } from '@/lib/catalog/resource'
import { type TableParams, tableParams } from '@/lib/catalog/table-params'
import { describeError, log } from '@/lib/core/log'
import { dayIn } from '@/lib/core/time'
import { newRequestId } from '@/lib/http/exchange'
import { methodNotAllowed } from '@/lib/http/methods'
import { errorResponse } from '@/lib/http/respond'
import { exportCsv } from '@/lib/listing/csv-export'
import { summaryLayout } from '@/lib/listing/csv-summary'
import { findProductNames } from '@/lib/listing/product-names'

/** `format` is the layout of the file: every member, or the summary that tables of orders have. */
const exportParams = (resource: Resource) =>
  tableParams(resource).extend(
    isSold(resource) ? { format: z.enum(['summary'], { error: 'must be summary' }).optional() } : {},
  ) as never as z.ZodObject & z.ZodType<TableParams & { format?: 'summary' | undefined }>

type Context = { params: Promise<{ resource: string }> }

/** Streams chunks on demand. An error while streaming aborts the connection, so that a partial file does not look complete. */
function toStream(chunks: AsyncGenerator<string>, first: string | undefined, requestId: string): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let waiting = first
  let gone = false
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const chunk = waiting ?? (await chunks.next()).value
          waiting = undefined
          // The client might have disconnected during the read.
          if (gone) return
          if (chunk === undefined) controller.close()
          else controller.enqueue(encoder.encode(chunk))
        } catch (error) {
          if (gone) return
          log().warn({ requestId, error: describeError(error) }, 'export aborted')
          // Next logs this error. The driver's own error is not passed on, because it can contain bound values.
          controller.error(new Error('The export was aborted.'))
        }
      },
      async cancel() {
        gone = true
        await chunks.return(undefined)
      },
    },
    // Do not read ahead.
    { highWaterMark: 0 },
  )
}

async function respond(request: Request, context: Context, requestId: string): Promise<Response> {
  const { name, query, params, timeZone } = await readTableQuery(request, context, exportParams)
  const headers = {
    'Content-Type': 'text/csv; charset=utf-8; header=present',
    'Content-Disposition': `attachment; filename="${name}${params.format ? '-summary' : ''}-${dayIn(timeZone, new Date())}.csv"`,
    'Cache-Control': 'no-store',
    'Request-Id': requestId,
  }
  if (request.method === 'HEAD') return new Response(null, { headers })
  const pages = params.format ? await listCheckoutPages(query.sellerId) : []
  const pageNames = new Map(pages.map(({ id, name: title }) => [id, title]))
  const layout = params.format && summaryLayout(query.resource, timeZone, pageNames, (ids) => findProductNames(query.sellerId, ids))
  const chunks = exportCsv(query, layout)
  // Read the first chunk before the response starts, so that an outage results in an error response.
  const { value: first } = await chunks.next()
  return new Response(toStream(chunks, first ?? undefined, requestId), { headers })
}

export async function GET(request: Request, context: Context): Promise<Response> {
  const requestId = newRequestId()
  try {
    return await respond(request, context, requestId)
  } catch (error) {
    return errorResponse(error, requestId)
  }
}

const refuse = async (request: Request) => methodNotAllowed(request.method, 'GET, HEAD')

export { GET as HEAD, refuse as DELETE, refuse as PATCH, refuse as POST, refuse as PUT }
