/** The process: one HTTP server. It answers the API itself and what Next can't in JSON, hands Next the pages, and drains on SIGTERM. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { getRequestListener } from '@hono/node-server'
import next from 'next'
import { otherwise, table } from '@/app/api/v1/table'
import { rebuildPools } from '@/db/pools'
import { isUnavailable, UnavailableError } from '@/db/unavailable'
import { purgeIdempotencyKeys } from '@/lib/admission/validate-ticket'
import { connectServer, type Opened } from '@/lib/core/connect'
import { ADDRESS_HEADER, env } from '@/lib/core/env'
import { ApiError } from '@/lib/core/errors'
import { describeError, log } from '@/lib/core/log'
import { sessionSecret } from '@/lib/core/session-secret'
import { startDraining } from '@/lib/http/health-routes'
import { LightResponse } from '@/lib/http/light-response'
import { noteAnswer, observe } from '@/lib/http/observe'
import { startRequestLog } from '@/lib/http/request-log'
import { answerError, newRequestId, respondWith } from '@/lib/http/respond'
import { callRoute, createRouter, isApiPath } from '@/lib/http/router'
import { purgeEvents } from '@/lib/sync/stripe/events'
import { processAllEvents } from '@/lib/sync/stripe/process-events'

/** RFC 6585 gives no size; Node's own default. */
const MAX_HEADER_BYTES = 16 * 1024
// Spec silent: how long a client may take.
/** A client that has not sent its headers, or its whole request, by then is closed. */
const HEADERS_MS = 10_000
const REQUEST_MS = 15_000
/** Longer than the usual proxy keeps a connection, so that it is the proxy that lets go. */
const KEEP_ALIVE_MS = 65_000
/** On the way out, how long requests that were sent already are still taken: a connection may hold one that has not been read. */
const LINGER_MS = 500
/** What still runs after this is cut: an upload that hangs must not hold the process. */
const DRAIN_MS = 17_000
/** How long the last batch of the request log may take. */
const LAST_BATCH_MS = 1_000
const PURGE_MS = 60 * 60 * 1000
/** What an outage or a kill has left of Stripe's events is worked off this much later at the latest. */
const ROUND_MS = 30_000

/** Does what nobody waits for, now and then again. @returns how it is stopped */
function repeat(ms: number, complaint: string, work: () => Promise<unknown>): () => void {
  const go = () => void work().catch((error: unknown) => log().warn({ error: describeError(error) }, complaint))
  go()
  const timer = setInterval(go, ms)
  timer.unref()
  return () => clearInterval(timer)
}

export type Running = {
  /** `http://localhost:PORT`, as a person on this machine would type it. */
  url: string
  /** Where the database is, for people. */
  place: string
  /** Finishes what runs, closes every connection, and stops the embedded database. */
  stop(): Promise<void>
}

/** The address can't be listened on; the message says why and what to do. */
export class ListenError extends Error {}

function listenError(error: NodeJS.ErrnoException, host: string, port: number): Error {
  switch (error.code) {
    case 'EADDRINUSE':
      return new ListenError(`Port ${port} is taken by another program. Stop that one, or choose another port: PORT=${port + 1}.`)
    case 'EACCES':
      return new ListenError(`Port ${port} may not be listened on by this user. Choose one above 1023, and put a proxy in front of it.`)
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EADDRNOTAVAIL':
      return new ListenError(
        `HOST ${host} is no address of this machine. 0.0.0.0 listens on all of them, 127.0.0.1 for this machine alone.`,
      )
    default:
      return error
  }
}

respondWith(LightResponse)

const route = createRouter(table, otherwise)

const badPath = () =>
  new ApiError('path_invalid', 'The path is not valid percent-encoded UTF-8. Encode what you put into it; a plain % is %25.')

/** The path as it was sent, without query and, from a proxy, without origin. */
const pathOf = (url: string) =>
  (/^https?:\/\/[^/]*/i.test(url) ? url.replace(/^https?:\/\/[^/?#]*/i, '') : url).replace(/[?#].*$/s, '') || '/'

const isDecodable = (path: string) => {
  try {
    decodeURIComponent(path)
    return path.startsWith('/')
  } catch {
    return false
  }
}

/** Tells the pages where a request comes from. Behind a proxy, which NEXTAUTH_URL says, that is what the proxy saw last. */
function addressOf({ headers, socket }: IncomingMessage): string {
  const forwarded =
    env().NEXTAUTH_URL === undefined
      ? undefined
      : String(headers['x-forwarded-for'] ?? '')
          .split(',')
          .at(-1)
          ?.trim()
  return forwarded || socket.remoteAddress || 'unknown'
}

const PAGE_METHODS = new Set(['GET', 'HEAD', 'POST', 'OPTIONS'])

const listener = getRequestListener(
  (request, { incoming }) => {
    const path = pathOf(incoming.url ?? '/')
    const match = route(path)
    if (match) return callRoute(match, request).then((response) => noteAnswer(incoming, match.pattern, request, response))
    // Left over for us: what Next would answer in plain text, or not at all.
    if (!isDecodable(path)) return answerError(badPath(), newRequestId())
    const allow = [...PAGE_METHODS].join(', ')
    return answerError(
      new ApiError('method_not_allowed', `${request.method} does not work here. Use ${allow}.`, undefined, { Allow: allow }),
      newRequestId(),
    )
  },
  {
    // Next's own code makes requests and responses too, and is to find the platform's classes.
    overrideGlobalObjects: false,
    errorHandler: (error) => {
      // A Host header that is no host: the only thing that the adapter itself refuses.
      log().warn({ error: describeError(error) }, 'request not readable')
      return answerError(
        new ApiError('path_invalid', 'The Host header is no valid host name. Send the name of this server.'),
        newRequestId(),
      )
    },
    hostname: 'localhost',
  },
)

const starting = getRequestListener(
  () => answerError(new UnavailableError('The server is starting.', { code: 'starting' }), newRequestId()),
  {
    overrideGlobalObjects: false,
  },
)

const isOurs = (method: string, path: string) =>
  route(path) !== undefined || isApiPath(path) || !PAGE_METHODS.has(method) || !isDecodable(path)

function refusalOf(code: string | undefined): ApiError {
  const allow = [...PAGE_METHODS].join(', ')
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new ApiError('headers_too_large', `The request's headers are over ${MAX_HEADER_BYTES / 1024} KiB. Send fewer or shorter ones.`)
    case 'HPE_INVALID_METHOD':
      return new ApiError('method_not_allowed', `This method does not work here. Use ${allow}.`, undefined, { Allow: allow })
    default:
      return new ApiError('path_invalid', 'This is not a valid HTTP/1.1 request.')
  }
}

/** Answers what never became a request: RFC 9112 leaves nothing but to answer and close. */
function refuseConnection(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    socket.destroy()
    return
  }
  const response = answerError(refusalOf(error.code), newRequestId())
  void response.text().then((body) => {
    const headers = [...response.headers, ['connection', 'close'], ['content-length', String(Buffer.byteLength(body))]]
    const reason = JSON.parse(body).error as string
    socket.end(`HTTP/1.1 ${response.status} ${reason}\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`)
  })
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenError(error, host, port)))
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port))
  })
}

/** Says on readiness that it goes, stops accepting, lets what runs finish, and cuts what is left after `DRAIN_MS`. */
async function drain(server: Server): Promise<void> {
  startDraining()
  await pause(LINGER_MS)
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), DRAIN_MS)
    server.close(() => {
      clearTimeout(cut)
      resolve()
    })
  })
}

/** The driver has a fault under killed connections that throws outside of any query; the pool is made anew then. */
function onUncaught(error: unknown): void {
  log().error({ error: describeError(error) }, 'uncaught')
  // A connection's end that the driver did notice breaks nothing.
  if (!isUnavailable(error)) rebuildPools()
}

/** Starts everything that the configuration asks for. @throws {ListenError} before anything else is started */
export async function startServer(): Promise<Running> {
  const { HOST, PORT } = env()
  let serve: (request: IncomingMessage, response: ServerResponse) => void = (request, response) => void starting(request, response)
  let draining = false
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: HEADERS_MS,
      requestTimeout: REQUEST_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectionsCheckingInterval: 1000,
      // Answered by us, in JSON.
      requireHostHeader: false,
    },
    (request, response) => {
      observe(request, response)
      if (draining) response.setHeader('Connection', 'close')
      serve(request, response)
    },
  )
  server.on('clientError', refuseConnection)
  server.on('connect', (_, socket) => refuseConnection({ name: 'CONNECT', message: '', code: 'HPE_INVALID_METHOD' }, socket))
  // An expectation that we do not know is no reason not to answer (RFC 9110, 10.1.1 allows for it).
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  // Next takes upgrades over with its first page and drops those it does not know, our API's clients' too. Without a listener
  // Node answers them as the requests that they also are.
  server.on('newListener', (event, listener) => {
    if (event === 'upgrade') queueMicrotask(() => server.removeListener('upgrade', listener as never))
  })
  const port = await listen(server, HOST, PORT)

  let opened: Opened | undefined
  try {
    opened = await connectServer()
    const { place, close } = opened
    // next-auth reads these itself: where no address is configured, the one that was asked for counts.
    Object.assign(process.env, { NEXTAUTH_SECRET: await sessionSecret(), AUTH_TRUST_HOST: 'true' })
    const app = next({ dev: false, dir: import.meta.dirname, hostname: HOST, port, quiet: true })
    await app.prepare()
    const page = app.getRequestHandler()
    serve = (request, response) => {
      if (isOurs(request.method ?? 'GET', pathOf(request.url ?? '/'))) void listener(request, response)
      else {
        request.headers[ADDRESS_HEADER] = addressOf(request)
        // A form of ours comes from the address that people type, whatever host a proxy makes of it.
        const own = env().NEXTAUTH_URL
        if (own) request.headers['x-forwarded-host'] = new URL(own).host
        void page(request, response)
      }
    }
    process.on('uncaughtException', onUncaught)
    process.on('unhandledRejection', onUncaught)
    const rounds = [
      repeat(PURGE_MS, 'old idempotency keys not deleted', purgeIdempotencyKeys),
      repeat(PURGE_MS, 'old events not deleted', purgeEvents),
      repeat(ROUND_MS, 'events not worked off', processAllEvents),
    ]
    const endRequestLog = startRequestLog()

    return {
      url: `http://localhost:${port}`,
      place,
      stop: async () => {
        draining = true
        for (const end of rounds) end()
        await drain(server)
        await Promise.race([endRequestLog(), pause(LAST_BATCH_MS, undefined, { ref: false })])
        await app.close()
        await close()
      },
    }
  } catch (error) {
    server.closeAllConnections()
    server.close()
    await opened?.close()
    throw error
  }
}
