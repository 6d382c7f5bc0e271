/** Runs the route handlers of the check-in page in the server's process, where pages cannot delay them. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { getPath, newRequestId, toApiRequest, writeReply } from './exchange'
import { errorReply } from './respond'

/** The exports of a `route.ts`, by method. */
export type RouteHandlers = Partial<Record<string, (request: Request) => Promise<Response>>>

/**
 * Security headers like those that `proxy.ts` sets for pages. The policy allows connections to this server, because one of these routes
 * serves the service worker, which fetches the page and its files.
 */
const HEADERS = new Headers({
  'Content-Security-Policy': "default-src 'none'; connect-src 'self'; frame-ancestors 'none'",
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
})

/** Returns the path as Next matches it, so that no variant of it reaches Next's copy of the handlers. */
function normalizePath(incoming: IncomingMessage): string {
  const path = getPath(incoming).replace(/(?<=.)\/$/, '')
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** Converts Node's request to a Fetch API request, whose signal is aborted when the client disconnects. */
function toRequest(incoming: IncomingMessage, outgoing: ServerResponse): Request {
  const { url, method } = toApiRequest(incoming, '', undefined)
  const closed = new AbortController()
  outgoing.once('close', () => closed.abort())
  const headers = new Headers()
  for (const [name, value] of Object.entries(incoming.headers)) if (value !== undefined) headers.set(name, String(value))
  const body = method === 'POST' ? { body: Readable.toWeb(incoming) as BodyInit, duplex: 'half' as const } : {}
  return new Request(url, { method, headers, signal: closed.signal, ...body })
}

/** Runs a handler and sends its response, unless the client has disconnected. @param onHandled called when the handler has finished */
async function respond(
  handle: (request: Request) => Promise<Response>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  onHandled: () => void,
): Promise<void> {
  const run = async () => handle(toRequest(incoming, outgoing))
  const { status, headers, body } = await run().finally(onHandled)
  // If the client has already disconnected, `pipeline` might not notice, or might fail without canceling the body.
  if (outgoing.destroyed) {
    await body?.cancel()
    return
  }
  outgoing.setHeaders(HEADERS).setHeaders(headers).writeHead(status)
  // Fails if the client disconnects, which also cancels the body.
  if (body && incoming.method !== 'HEAD') await pipeline(Readable.fromWeb(body as ReadableStream), outgoing).catch(() => {})
  else {
    outgoing.end()
    // Otherwise, a streamed body would continue to produce data after a HEAD request.
    await body?.cancel()
  }
}

/** The route handlers of the check-in page, by path. */
type DoorRoutes = ReadonlyMap<string, RouteHandlers>

/** Returns the route handler for a request, or undefined if Next handles the request. */
export const findDoorHandler = (routes: DoorRoutes, incoming: IncomingMessage) =>
  routes.get(normalizePath(incoming))?.[incoming.method === 'HEAD' ? 'GET' : String(incoming.method)]

/**
 * A request listener that calls `onHandled` when the handler of a check-in route has finished, even if the client has disconnected. The
 * response has not been sent by then, so a stream of counts may still be open.
 */
export type DoorListener = (incoming: IncomingMessage, outgoing: ServerResponse, onHandled?: () => void) => void

/** Returns a handler that runs the routes of the check-in page. @param render handles everything else */
export const handleDoorRoutes =
  (routes: DoorRoutes, render: RequestListener): DoorListener =>
  (incoming, outgoing, onHandled = () => {}) => {
    const handle = findDoorHandler(routes, incoming)
    if (!handle) render(incoming, outgoing)
    else
      respond(handle, incoming, outgoing, onHandled).catch((error: unknown) =>
        writeReply(incoming, outgoing, errorReply(error, newRequestId())),
      )
  }
