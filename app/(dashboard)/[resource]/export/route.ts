/** GET /payments/export?status=paid: what the list shows under these filters, all of it, as CSV. */
import { callingPerson } from '@/app/session'
import { isResourceName, resources } from '@/lib/catalog'
import { listParams } from '@/lib/catalog/list-params'
import type { Resource } from '@/lib/catalog/resource'
import { ApiError } from '@/lib/core/errors'
import { describeError, log } from '@/lib/core/log'
import { dayIn } from '@/lib/core/time'
import { answerError, methodNotAllowed, type RouteHandler } from '@/lib/http/handler'
import { parseQuery } from '@/lib/http/params'
import { newRequestId } from '@/lib/http/request-id'
import { exportCsv } from '@/lib/listing/csv-export'

type Context = { params: Promise<{ resource: string }> }

/** Reads a piece when one is asked for. A failure in the middle breaks the connection: a file that was cut must not look whole. */
function toStream(pieces: AsyncGenerator<string>, first: string | undefined, requestId: string): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let waiting = first
  let gone = false
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const piece = waiting ?? (await pieces.next()).value
          waiting = undefined
          // Whoever asked may have left while it was read.
          if (gone) return
          if (piece === undefined) controller.close()
          else controller.enqueue(encoder.encode(piece))
        } catch (error) {
          if (gone) return
          log().warn({ requestId, error: describeError(error) }, 'export broken off')
          // A new error: Next writes what it is given to the log, and a driver's may hold what was asked for.
          controller.error(new Error('The export was broken off.'))
        }
      },
      async cancel() {
        gone = true
        await pieces.return(undefined)
      },
    },
    // Nothing is read ahead of who takes it.
    { highWaterMark: 0 },
  )
}

async function answerExport(request: Request, { params }: Context, requestId: string): Promise<Response> {
  const { resource: name } = await params
  if (!isResourceName(name)) throw new ApiError('route_not_found', 'There is no such list.')
  const { sellerId, timeZone } = await callingPerson('records')
  const resource: Resource = resources[name]
  const { search, status, pageId } = parseQuery(request.url, listParams(resource.filters))
  const headers = {
    'Content-Type': 'text/csv; charset=utf-8; header=present',
    'Content-Disposition': `attachment; filename="${name}-${dayIn(timeZone, new Date())}.csv"`,
    'Cache-Control': 'no-store',
    'Request-Id': requestId,
  }
  if (request.method === 'HEAD') return new Response(null, { headers })
  const pieces = exportCsv(resource, sellerId, { search, status, pageId })
  // Before anything is sent, so that an outage is still an answer of its own.
  const { value: first } = await pieces.next()
  return new Response(toStream(pieces, first ?? undefined, requestId), { headers })
}

export async function GET(request: Request, context: Context): Promise<Response> {
  const requestId = newRequestId()
  try {
    return await answerExport(request, context, requestId)
  } catch (error) {
    return answerError(error, requestId)
  }
}

const refuse: RouteHandler = async (request) => methodNotAllowed(request.method, 'GET, HEAD')

export { GET as HEAD, refuse as DELETE, refuse as PATCH, refuse as POST, refuse as PUT }
