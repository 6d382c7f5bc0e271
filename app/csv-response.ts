/** Creates the responses for CSV exports. */
import { z } from 'zod'
import { log } from '@/lib/core/log'
import { dayIn } from '@/lib/core/time'
import { newRequestId } from '@/lib/http/exchange'
import { methodNotAllowed } from '@/lib/http/methods'
import { errorResponse } from '@/lib/http/respond'

/** Streams chunks on demand. An error while streaming aborts the connection, so that a partial file does not look complete. */
function toStream(chunks: AsyncGenerator<string>, first: string | undefined, requestId: string): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let pendingChunk = first
  let isCanceled = false
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const chunk = pendingChunk ?? (await chunks.next()).value
          pendingChunk = undefined
          // The client might have disconnected during the read.
          if (isCanceled) return
          if (chunk === undefined) controller.close()
          else controller.enqueue(encoder.encode(chunk))
        } catch (error) {
          if (isCanceled) return
          log().warn({ requestId, error }, 'export aborted')
          // Next logs this error. The original error is not passed on, because the database driver's errors can contain bound values.
          controller.error(new Error('The export was aborted.'))
        }
      },
      async cancel() {
        isCanceled = true
        await chunks.return(undefined)
      },
    },
    // Do not read ahead.
    { highWaterMark: 0 },
  )
}

/** The parameter that selects the layout: every member by default, or a summary. */
export const formatParam = z.enum(['summary'], { error: 'must be summary' }).optional()
export type FormatParam = { format?: z.output<typeof formatParam> }

type CsvExport = {
  /** The start of the file name. */
  name: string
  /** Adds `-summary` to the file name. */
  isSummary: boolean
  /** The time zone of the date in the file name. */
  timeZone: string
  /** Starts the export, and returns the chunks of the file. */
  open: () => Promise<AsyncGenerator<string>>
}

/**
 * Returns the handlers of an export's route.
 *
 * @param prepare checks access and parses the request
 */
export function csvRoute<Context>(prepare: (request: Request, context: Context) => Promise<CsvExport>) {
  async function GET(request: Request, context: Context): Promise<Response> {
    const requestId = newRequestId()
    try {
      const { name, isSummary, timeZone, open } = await prepare(request, context)
      const headers = {
        'Content-Type': 'text/csv; charset=utf-8; header=present',
        'Content-Disposition': `attachment; filename="${name}${isSummary ? '-summary' : ''}-${dayIn(timeZone, new Date())}.csv"`,
        'Cache-Control': 'no-store',
        'Request-Id': requestId,
      }
      if (request.method === 'HEAD') return new Response(null, { headers })
      const chunks = await open()
      // Read the first chunk before the response starts, so that an outage results in an error response.
      const { value: first } = await chunks.next()
      // Next does not cancel the body if the client disconnects before the response starts.
      const end = () => void chunks.return(undefined)
      if (request.signal.aborted) end()
      else request.signal.addEventListener('abort', end, { once: true })
      return new Response(toStream(chunks, first ?? undefined, requestId), { headers })
    } catch (error) {
      return errorResponse(error, requestId)
    }
  }
  const rejectMethod = async (request: Request) => methodNotAllowed(request.method, 'GET, HEAD')
  return { GET, HEAD: GET, DELETE: rejectMethod, PATCH: rejectMethod, POST: rejectMethod, PUT: rejectMethod }
}
