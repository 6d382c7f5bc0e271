/** Entry point: an HTTP server that handles the API and check-in, passes pages to Next in a separate process, and shuts down gracefully. */
import { createServer, type IncomingMessage, type RequestListener, Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { prepareNext } from '@/app/prepare-next'
import { readSessionId } from '@/app/session-token'
import { isDriverFault } from '@/db/driver'
import { rebuildPools, warmUpPools } from '@/db/pools'
import { isUnavailable, UnavailableError } from '@/db/unavailable'
import { loadKnownDevices } from '@/lib/accounts/known-devices'
import { purgeSignInFailures } from '@/lib/accounts/sign-in-throttle'
import { loadKnownKeys } from '@/lib/accounts/verify-key'
import { deriveCodeKeys } from '@/lib/admission/code-keys'
import { purgeIdempotencyKeys } from '@/lib/admission/idempotency-keys'
import { purgeAttempts } from '@/lib/admission/purge-attempts'
import { connectServer, type OpenDatabase } from '@/lib/core/connect'
import { EnvError, env } from '@/lib/core/env'
import { setUncaughtHandler } from '@/lib/core/handle-uncaught'
import { log } from '@/lib/core/log'
import { redirectConsole } from '@/lib/core/redirect-console'
import { runAll } from '@/lib/core/run-all'
import { sessionSecret } from '@/lib/core/session-secret'
import { moveRestoredEvents, purgeOldEvents } from '@/lib/events/purge-events'
import { createPageCache } from '@/lib/http/cached-pages'
import { clientAddress, parseTrustedProxies, readAddressHeader, setAddressHeader, type TrustedProxies } from '@/lib/http/client-address'
import { closeServer } from '@/lib/http/close-server'
import { abandonUpload, limitStall, trackResponse } from '@/lib/http/connections'
import { delayRefusal } from '@/lib/http/delay-refusal'
import { findDoorHandler, handleDoorRoutes } from '@/lib/http/door-routes'
import { getPath, newRequestId, toApiRequest, writeReply } from '@/lib/http/exchange'
import { STARTING_ROUTES, startDraining } from '@/lib/http/health-routes'
import { isMethod } from '@/lib/http/methods'
import { createPageHandler } from '@/lib/http/page-handler'
import { startPageProcess } from '@/lib/http/page-process'
import { findPageError, MAX_HEADER_BYTES, respondToConnect, respondToParserError } from '@/lib/http/refuse-request'
import { createObserver, recordRoute, startRequestLog } from '@/lib/http/request-log'
import { errorReply } from '@/lib/http/respond'
import { readDoorRoutes, readFilePaths, readRouteTree } from '@/lib/http/route-tree'
import { createRouter, type Match, type RouteTable, UNKNOWN_PATTERN } from '@/lib/http/router'
import { startJobs, type Task } from '@/lib/jobs/start-jobs'
import { processAllEvents } from '@/lib/sync/stripe/process-events'
import { purgeEvents as purgeStripeEvents } from '@/lib/sync/stripe/retention'
import { startDelivery } from '@/lib/webhooks/delivery-worker'
import { purgeDeliveries } from '@/lib/webhooks/purge-deliveries'

// Not specified: how long clients may take.
/** The time limits for a client to send the headers of a request, and the whole request. */
const HEADERS_MS = 10_000
const REQUEST_MS = 15_000
/** How long idle connections stay open: longer than proxies usually keep them, so that no proxy reuses one that the server is closing. */
const KEEP_ALIVE_MS = 65_000
/** How long new connections are still accepted after a shutdown begins, because clients may already have sent requests. */
const LINGER_MS = 500
/** The time after which running requests are aborted, so that a client that does not read its response does not block the shutdown. */
const DRAIN_MS = 17_000
/** The time limit for writing the last batch of the request log. */
const LAST_BATCH_MS = 1_000
/** The interval between loads of API keys and check-in devices that other processes have added. */
const LOAD_MS = 30_000

/** The scheduled tasks. If several servers share a database, only one of them performs each run. */
const TASKS: readonly Task[] = [
  {
    name: 'purge',
    everySeconds: 3_600,
    run: () =>
      runAll([
        moveRestoredEvents,
        purgeIdempotencyKeys,
        purgeAttempts,
        purgeStripeEvents,
        purgeSignInFailures,
        purgeOldEvents,
        purgeDeliveries,
      ]),
  },
  { name: 'stripe_events', everySeconds: 60, run: processAllEvents },
  { name: 'code_keys', everySeconds: 60, run: deriveCodeKeys },
]

/**
 * Runs `work` now, and then at an interval.
 *
 * @param ms the interval in milliseconds
 * @param message the message to log if `work` fails
 * @returns a function that stops the interval
 */
function repeat(ms: number, message: string, work: () => Promise<unknown>): () => void {
  const run = () => void work().catch((error: unknown) => log().warn({ error }, message))
  run()
  const timer = setInterval(run, ms)
  timer.unref()
  return () => clearInterval(timer)
}

export type RunningServer = {
  /** `http://localhost:PORT` */
  url: string
  /** A description of the database's location, without the password. */
  place: string
  /** Finishes running requests, closes all connections, and stops the embedded database if no other process uses it. */
  stop(): Promise<void>
}

/** Thrown if the server cannot listen on the configured address. The message says why and what to do. */
export class ListenError extends Error {}

const USABLE_HOSTS = 'Use 0.0.0.0 for all addresses, or 127.0.0.1 for this machine only.'

function toListenError(error: NodeJS.ErrnoException, host: string, port: number): Error {
  switch (error.code) {
    case 'EADDRINUSE':
      return new ListenError(`Port ${port} is in use. Stop the program that uses it, or set another port: PORT=${port + 1}.`)
    case 'EACCES':
      return new ListenError(`This user is not allowed to listen on port ${port}. Use a port above 1023, behind a reverse proxy.`)
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EADDRNOTAVAIL':
    case 'EAFNOSUPPORT':
      return new ListenError(`HOST ${host} is not an address of this machine. ${USABLE_HOSTS}`)
    // Linux reports this only for link-local addresses, which are ambiguous without an interface.
    case 'EINVAL':
      return new ListenError(
        `HOST ${host} is a link-local address, and needs the name of a network interface of this machine, as in fe80::1%eth0. ${USABLE_HOSTS}`,
      )
    default:
      return error
  }
}

/** Returns the proxies in TRUST_PROXY, or undefined if it is not set. @throws {EnvError} if it is invalid */
function readTrustedProxies(): TrustedProxies | undefined {
  const { TRUST_PROXY } = env()
  const proxies = TRUST_PROXY === undefined ? undefined : parseTrustedProxies(TRUST_PROXY)
  if (TRUST_PROXY !== undefined && proxies === undefined)
    throw new EnvError('TRUST_PROXY must be the number of proxies, or valid addresses. See .env.example.')
  return proxies
}

const refuse = (incoming: IncomingMessage, outgoing: ServerResponse, error: unknown, id = newRequestId()) =>
  writeReply(incoming, outgoing, errorReply(error, id))

/** Rejects a request for a page. Delays the response if many requests are rejected. */
async function refusePage(incoming: IncomingMessage, outgoing: ServerResponse, error: unknown): Promise<void> {
  await delayRefusal(readAddressHeader(incoming.headers), abandonUpload(incoming) ? 'upload' : 'visitor', outgoing)
  refuse(incoming, outgoing, error)
}

/** Runs an API route and sends its response. */
async function answerRoute(
  { handle, params, pattern }: Match,
  proxies: TrustedProxies | undefined,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const id = newRequestId()
  recordRoute(incoming, pattern, id)
  try {
    const reply = await handle(toApiRequest(incoming, id, proxies), params)
    const isUpload = abandonUpload(incoming)
    // Set before the delay, because the request log records the status even if the client disconnects in the meantime.
    outgoing.statusCode = reply.status
    const kind = isUpload ? 'upload' : reply.refusal
    if (kind) await delayRefusal(clientAddress(incoming, proxies), kind, outgoing)
    writeReply(incoming, outgoing, reply)
  } catch (error) {
    refuse(incoming, outgoing, error, id)
  }
}

/** Returns the listener of a server that is starting. It responds to health checks, and rejects all other requests. */
function createStartingHandler(proxies: TrustedProxies | undefined): RequestListener {
  const findRoute = createRouter(STARTING_ROUTES)
  return (incoming, outgoing) => {
    const match = findRoute(getPath(incoming))
    if (match && match.pattern !== UNKNOWN_PATTERN) void answerRoute(match, proxies, incoming, outgoing)
    else refuse(incoming, outgoing, new UnavailableError('The server is starting.'))
  }
}

/**
 * Returns a listener that handles the API's routes itself, and passes all other requests to `page`.
 *
 * @param isDevelopment whether to pass the API's routes to `page` too, so that Next reloads their handlers
 */
function createHandler(
  table: RouteTable,
  page: RequestListener,
  proxies: TrustedProxies | undefined,
  isDevelopment: boolean,
): RequestListener {
  const findRoute = createRouter(table)
  return (incoming, outgoing) => {
    const match = findRoute(getPath(incoming))
    const isForNext = isDevelopment && match?.pattern !== UNKNOWN_PATTERN && isMethod(incoming.method ?? '')
    if (match && !isForNext) {
      void answerRoute(match, proxies, incoming, outgoing)
      return
    }
    setAddressHeader(incoming.headers, clientAddress(incoming, proxies))
    // Makes Next compare the Origin of server actions with the public URL, even if a proxy sends a different host.
    const publicUrl = env().NEXTAUTH_URL
    if (publicUrl) incoming.headers['x-forwarded-host'] = new URL(publicUrl).host
    if (match) recordRoute(incoming, match.pattern)
    const refusal = match ? undefined : findPageError(incoming)
    if (refusal) void refusePage(incoming, outgoing, refusal)
    else page(incoming, outgoing)
  }
}

const APP = join(import.meta.dirname, 'app')

type Pages = {
  /** Handles everything except the API. */
  page: RequestListener
  /** Stops the process that renders pages. */
  stop(): Promise<void>
}

/** Stops the process that renders pages, once it has started. */
const stopPages = (starting: Promise<{ stop(): Promise<void> }>) =>
  starting.then(
    ({ stop }) => stop(),
    () => {},
  )

/** Starts the process that renders pages. Resolves once the cached pages have been rendered; if that fails, logs a warning. */
async function startPages(databaseUrl: string, port: number, secret: string): Promise<Pages> {
  const starting = startPageProcess(databaseUrl, port)
  try {
    const [pages, routes] = await Promise.all([starting, readDoorRoutes(APP)])
    const render = handleDoorRoutes(routes, pages.render)
    const cache = createPageCache(render, await readFilePaths(import.meta.dirname))
    await cache.fill().catch((error: unknown) => log().warn({ error }, 'could not render the cached pages'))
    const readSession = (token: string) => readSessionId(token, secret)
    const isDoorRoute = (incoming: IncomingMessage) => findDoorHandler(routes, incoming) !== undefined
    return { page: createPageHandler({ render, isDoorRoute, readSessionId: readSession, cache }), stop: pages.stop }
  } catch (error) {
    await stopPages(starting)
    throw error
  }
}

/**
 * Opens connections, and loads the API keys and the check-in devices, so that no request waits for them. If the database is unavailable,
 * only logs a warning.
 */
async function warmUp(): Promise<void> {
  const warn = (message: string) => (error: unknown) => log().warn({ error }, message)
  // In parallel, because each may take its whole time limit.
  await Promise.all([
    warmUpPools().catch(warn('could not open every connection to the database')),
    loadKnownKeys().catch(warn('could not load the API keys')),
    loadKnownDevices().catch(warn('could not load the check-in devices')),
  ])
}

/** Starts listening. @returns the port, which the system chooses if `port` is 0 @throws {ListenError} */
function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException) => reject(toListenError(error, host, port))
    server.once('error', fail)
    server.listen(port, host, () => {
      server.off('error', fail)
      // Emitted if, for example, the system has no memory for another socket. The server accepts connections again once memory is free.
      server.on('error', (error) => log().error({ error }, 'could not accept a connection'))
      resolve((server.address() as AddressInfo).port)
    })
  })
}

/** Makes `/readyz` fail, stops accepting connections, lets running requests finish, and aborts those still running after `DRAIN_MS`. */
async function drain(server: Server): Promise<void> {
  startDraining()
  await pause(LINGER_MS)
  await closeServer(server, DRAIN_MS)
}

/** Shuts down and exits after an uncaught error. For the driver's known bug, only replaces the pools. */
function handleUncaught(error: unknown, stop: () => Promise<void>): void {
  log().error({ error }, 'uncaught')
  if (isDriverFault(error)) rebuildPools()
  // Ignores lost database connections that the driver reports outside a query.
  else if (!isUnavailable(error)) {
    const exit = () => process.exit(1)
    setTimeout(exit, DRAIN_MS + LINGER_MS + LAST_BATCH_MS).unref()
    stop().then(exit, exit)
  }
}

/**
 * Starts the server as configured.
 *
 * @param isDevelopment whether Next compiles pages and route handlers on request, serves the API's routes too, and reloads changed files
 * @throws {EnvError} if TRUST_PROXY is invalid, before anything has started
 * @throws {ListenError} if it cannot listen on the configured address, before anything else has started
 */
export async function startServer({ isDevelopment = false } = {}): Promise<RunningServer> {
  const { HOST, PORT } = env()
  const proxies = readTrustedProxies()
  let serve = createStartingHandler(proxies)
  let isDraining = false
  const observe = createObserver()
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: HEADERS_MS,
      requestTimeout: REQUEST_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectionsCheckingInterval: 1000,
      // `toApiRequest` accepts a missing Host header.
      requireHostHeader: false,
    },
    (request, response) => {
      observe(request, response)
      limitStall(response)
      trackResponse(response)
      if (isDraining) response.setHeader('Connection', 'close')
      serve(request, response)
    },
  )
  // By default, Node drops all headers after the first 1,000. `maxHeaderSize` limits them instead.
  server.maxHeadersCount = 0
  server.on('clientError', respondToParserError)
  server.on('connect', respondToConnect)
  // Unknown expectations are ignored, as RFC 9110, 10.1.1 allows.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  // Next adds its upgrade listener to this placeholder instead of our server, because that listener closes connections with unknown
  // upgrades. Without a listener, Node handles an upgrade as an ordinary request.
  const upgrades = new Server()
  // In development, Next needs its websocket. This listener closes the connections of all other upgrades, because Node no longer handles
  // them as ordinary requests.
  if (isDevelopment) {
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      if (!request.url?.startsWith('/_next/') || !upgrades.emit('upgrade', request, socket, head)) socket.destroy()
    })
  }
  let opened: OpenDatabase | undefined
  let starting: Promise<Pages> | undefined
  let stop = async () => {
    server.closeAllConnections()
    server.close()
    if (starting) await stopPages(starting)
    await opened?.close()
  }
  setUncaughtHandler((error) => handleUncaught(error, stop))
  const port = await listen(server, HOST, PORT)
  try {
    opened = await connectServer()
    const { place, url, close } = opened
    // In development, Next's output is not converted to log lines, so that developers can read it.
    if (!isDevelopment) redirectConsole()
    // next-auth reads these variables itself. Without NEXTAUTH_URL, it trusts the request's host; with an empty one, every page would fail.
    if (env().NEXTAUTH_URL === undefined) delete process.env.NEXTAUTH_URL
    const secret = await sessionSecret()
    Object.assign(process.env, { NEXTAUTH_SECRET: secret, AUTH_TRUST_HOST: 'true' })
    // In development, Next serves the API's routes too, so there is only one process.
    starting = isDevelopment
      ? prepareNext(port, true, upgrades).then((page) => ({ page, stop: async () => {} }))
      : startPages(url, port, secret)
    const [started, table] = await Promise.all([starting, readRouteTree(APP), warmUp()])
    serve = createHandler(table, started.page, proxies, isDevelopment)
    const stopLoadingKeys = repeat(LOAD_MS, 'could not load new API keys', loadKnownKeys)
    const stopLoadingDevices = repeat(LOAD_MS, 'could not load new check-in devices', loadKnownDevices)
    if (env().WEBHOOK_ALLOW_PRIVATE_ADDRESSES === 'true')
      log().warn('WEBHOOK_ALLOW_PRIVATE_ADDRESSES is true: webhooks can reach this machine and its network. Turn it off in production.')
    const stopJobs = startJobs(TASKS, [startDelivery])
    const stopRequestLog = startRequestLog()

    stop = async () => {
      isDraining = true
      stopLoadingKeys()
      stopLoadingDevices()
      const jobsStopped = stopJobs().catch((error: unknown) => log().warn({ error }, 'could not stop the background jobs'))
      await drain(server)
      await jobsStopped
      await Promise.race([stopRequestLog(), pause(LAST_BATCH_MS, undefined, { ref: false })])
      await started.stop()
      await close()
    }
    return { url: `http://localhost:${port}`, place, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
