/** The process: one HTTP server. It answers the API itself and what Next can't in JSON, hands Next the pages, and drains on SIGTERM. */
import { createServer, type IncomingMessage, Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import next from 'next'
import { isDriverFault } from '@/db/driver-fault'
import { rebuildPools, warmUpPools } from '@/db/pools'
import { isUnavailable, UnavailableError } from '@/db/unavailable'
import { purgeIdempotencyKeys } from '@/lib/admission/validate-ticket'
import { connectServer, type Opened } from '@/lib/core/connect'
import { EnvError, env } from '@/lib/core/env'
import { describeError, log } from '@/lib/core/log'
import { sessionSecret } from '@/lib/core/session-secret'
import { clientAddress, parseTrustedProxies, setAddressHeader, type TrustedProxies } from '@/lib/http/client-address'
import { startDraining } from '@/lib/http/health-routes'
import { isMethod } from '@/lib/http/methods'
import { pathOf, toApiRequest, writeReply } from '@/lib/http/node-adapter'
import { noteRoute, observe } from '@/lib/http/observe'
import { MAX_HEADER_BYTES, pageRefusal, refuseConnection } from '@/lib/http/refuse-request'
import { startRequestLog } from '@/lib/http/request-log'
import { errorReply, newRequestId } from '@/lib/http/respond'
import { readRouteTree } from '@/lib/http/route-tree'
import { callEndpoint, createRouter, type Match, type RouteTable, UNKNOWN_PATTERN } from '@/lib/http/router'
import { purgeEvents } from '@/lib/sync/stripe/events'
import { processAllEvents } from '@/lib/sync/stripe/process-events'

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

function trustedProxies(): TrustedProxies | undefined {
  const { TRUST_PROXY } = env()
  const proxies = TRUST_PROXY === undefined ? undefined : parseTrustedProxies(TRUST_PROXY)
  if (TRUST_PROXY !== undefined && proxies === undefined)
    throw new EnvError('TRUST_PROXY must be a number of proxies, or valid addresses. See .env.example.')
  return proxies
}

type Handler = (incoming: IncomingMessage, outgoing: ServerResponse) => void

const refuse = (incoming: IncomingMessage, outgoing: ServerResponse, error: unknown) =>
  writeReply(incoming, outgoing, errorReply(error, newRequestId()))

const refuseWhileStarting: Handler = (incoming, outgoing) => refuse(incoming, outgoing, new UnavailableError('The server is starting.'))

async function answerRoute(match: Match, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  try {
    const reply = await callEndpoint(match, toApiRequest(incoming))
    noteRoute(incoming, match.pattern, reply.headers['Request-Id'])
    writeReply(incoming, outgoing, reply)
  } catch (error) {
    refuse(incoming, outgoing, error)
  }
}

/**
 * Answers the API itself, and hands the rest to Next.
 *
 * @param isDevelopment hands Next the API's routes too, so that it reloads their handlers
 */
function createHandler(table: RouteTable, page: Handler, isDevelopment: boolean): Handler {
  const findRoute = createRouter(table)
  const proxies = trustedProxies()
  return (incoming, outgoing) => {
    const match = findRoute(pathOf(incoming))
    const reloads = isDevelopment && match?.pattern !== UNKNOWN_PATTERN && isMethod(incoming.method ?? '')
    if (match) noteRoute(incoming, match.pattern)
    if (match && !reloads) {
      void answerRoute(match, incoming, outgoing)
      return
    }
    const refusal = match ? undefined : pageRefusal(incoming)
    if (refusal) {
      refuse(incoming, outgoing, refusal)
      return
    }
    setAddressHeader(incoming.headers, clientAddress(incoming, proxies))
    // Forms are checked against the address that people type, whatever host a proxy sends.
    const own = env().NEXTAUTH_URL
    if (own) incoming.headers['x-forwarded-host'] = new URL(own).host
    page(incoming, outgoing)
  }
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

/** Ends the process after an error that no request and no query caught, except after the driver's known fault, which costs only its pools. */
function handleUncaught(error: unknown, stop: () => Promise<void>): void {
  log().error({ error: describeError(error) }, 'uncaught')
  if (isDriverFault(error)) rebuildPools()
  // A connection's end that the driver reports outside a query breaks nothing.
  else if (!isUnavailable(error)) {
    const exit = () => process.exit(1)
    setTimeout(exit, DRAIN_MS + LINGER_MS + LAST_BATCH_MS).unref()
    stop().then(exit, exit)
  }
}

/**
 * Starts everything that the configuration asks for.
 *
 * @param isDevelopment Next compiles pages and route handlers on request, answers the routed paths too, and reloads what changes
 * @throws {ListenError} before anything else is started
 */
export async function startServer({ isDevelopment = false } = {}): Promise<Running> {
  const { HOST, PORT } = env()
  let serve = refuseWhileStarting
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
  // Next adds its upgrade listener here and not to our server: it drops upgrades that it does not know, and Node answers an upgrade
  // as an ordinary request if the server has no listener for it.
  const upgrades = new Server()
  // In development the pages' websocket reaches Next; there Node can no longer answer other upgrades as requests.
  if (isDevelopment) {
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      if (!request.url?.startsWith('/_next/') || !upgrades.emit('upgrade', request, socket, head)) socket.destroy()
    })
  }
  const port = await listen(server, HOST, PORT)

  let opened: Opened | undefined
  try {
    opened = await connectServer()
    const { place, close } = opened
    // next-auth reads these itself: where no address is configured, the one that was asked for counts.
    Object.assign(process.env, { NEXTAUTH_SECRET: await sessionSecret(), AUTH_TRUST_HOST: 'true' })
    const app = next({ dev: isDevelopment, dir: import.meta.dirname, hostname: HOST, port, quiet: true, httpServer: upgrades })
    await app.prepare()
    const page = app.getRequestHandler()
    // A request must not wait in line for the time that connecting takes. Without a database the server starts and reports not ready.
    await warmUpPools().catch((error: unknown) => log().warn({ error: describeError(error) }, 'database not reached'))
    serve = createHandler(await readRouteTree(join(import.meta.dirname, 'app')), page, isDevelopment)
    const rounds = [
      repeat(PURGE_MS, 'old idempotency keys not deleted', purgeIdempotencyKeys),
      repeat(PURGE_MS, 'old events not deleted', purgeEvents),
      repeat(ROUND_MS, 'events not worked off', processAllEvents),
    ]
    const endRequestLog = startRequestLog()

    const stop = async () => {
      draining = true
      for (const end of rounds) end()
      await drain(server)
      await Promise.race([endRequestLog(), pause(LAST_BATCH_MS, undefined, { ref: false })])
      await app.close()
      await close()
    }
    process.on('uncaughtException', (error) => handleUncaught(error, stop))
    process.on('unhandledRejection', (error) => handleUncaught(error, stop))
    return { url: `http://localhost:${port}`, place, stop }
  } catch (error) {
    server.closeAllConnections()
    server.close()
    await opened?.close()
    throw error
  }
}
