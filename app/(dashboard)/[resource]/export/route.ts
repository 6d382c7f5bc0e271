/** GET /payments/export?status=paid: every record that matches the list's filters, as CSV. */
import { requireCaller } from '@/app/session'
import { isResourceName, resources } from '@/lib/catalog'
import { listParams } from '@/lib/catalog/list-params'
import type { Resource } from '@/lib/catalog/resource'
import { ApiError } from '@/lib/core/errors'
import { describeError, log } from '@/lib/core/log'
import { dayIn } from '@/lib/core/time'
import { newRequestId, parseQuery } from '@/lib/http/exchange'
import { methodNotAllowed } from '@/lib/http/methods'
import { answerError } from '@/lib/http/respond'
import { exportCsv } from '@/lib/listing/csv-export'

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

async function respond(request: Request, { params }: Context, requestId: string): Promise<Response> {
  const { resource: name } = await params
  if (!isResourceName(name)) throw new ApiError('route_not_found', 'No such list. Check the address.')
  const { sellerId, timeZone } = await requireCaller('records')
  const resource: Resource = resources[name]
  const { limit: _, starting_after: _after, ending_before: _before, ...filters } = parseQuery(request.url, listParams(resource.filters))
  const headers = {
    'Content-Type': 'text/csv; charset=utf-8; header=present',
    'Content-Disposition': `attachment; filename="${name}-${dayIn(timeZone, new Date())}.csv"`,
    'Cache-Control': 'no-store',
    'Request-Id': requestId,
  }
  if (request.method === 'HEAD') return new Response(null, { headers })
  const chunks = exportCsv(resource, sellerId, filters)
  // Read the first chunk before the response starts, so that an outage results in an error response.
  const { value: first } = await chunks.next()
  return new Response(toStream(chunks, first ?? undefined, requestId), { headers })
}

export async function GET(request: Request, context: Context): Promise<Response> {
  const requestId = newRequestId()
  try {
    return await respond(request, context, requestId)
  } catch (error) {
    return answerError(error, requestId)
  }
}

const refuse = async (request: Request) => methodNotAllowed(request.method, 'GET, HEAD')

export { GET as HEAD, refuse as DELETE, refuse as PATCH, refuse as POST, refuse as PUT }
