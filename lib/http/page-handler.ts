/**
 * Handles requests for everything except the API: pages, the routes of the check-in page, and build files. Limits them, so that rendering
 * pages does not delay check-ins.
 */
import { type IncomingMessage, type RequestListener, type ServerResponse, STATUS_CODES } from 'node:http'
import { LRUCache } from 'lru-cache'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import { createSemaphore, createSharedSemaphore, reportLoad } from '@/db/semaphore'
import { findReportingDevice, type ReportingDevice, readDeviceToken } from '../accounts/check-in-devices'
import { isKnownDevice } from '../accounts/known-devices'
import { findSessionUser, readSessionToken } from '../accounts/sessions'
import { ApiError, toApiError } from '../core/errors'
import { MAX_BODY_BYTES } from './body'
import type { PageCache } from './cached-pages'
import { readAddressHeader } from './client-address'
import { abandonUpload } from './connections'
import { delayRefusal, joinQueue } from './delay-refusal'
import type { DoorListener } from './door-routes'
import { getPath, getTarget, headersFor, newRequestId, writeReply } from './exchange'
import { consume, retryIn } from './rate-limit'
import { receiveBody } from './receive-body'
import { errorReply } from './respond'

/** The limits for visitors without a session: concurrently rendered pages, waiting requests, and the maximum wait in milliseconds. */
const LIMIT = 1
const QUEUE = 32
const WAIT_MS = 5_000
/** The same limits for signed-in users, in total and per seller, except on check-in pages. */
const DASHBOARD = { limit: 3, queue: 200, waitMs: 10_000, perSeller: { limit: 2, queue: 40 } }
/**
 * The same limits for check-in pages, which do not wait for dashboard pages. The wait and the seller's queue are long enough for 50 devices
 * to open the page at the same time, even if each slot is held for `MAX_HOLD_MS`. An owner is a device or a user's session.
 */
const DOOR = { limit: 3, queue: 200, waitMs: 15_000, perSeller: { limit: 2, queue: 100, queuePerOwner: 10 } }
/**
 * The same limits for requests to the routes of the check-in page, such as scans, in total and per device or session. A page rarely sends
 * more at a time. Further requests wait, because a client that is refused immediately would use more CPU time with its next requests.
 */
const DOOR_ROUTES = { limit: 1_000, waitMs: 5_000, perOwner: { limit: 4, queue: 100, name: 'check-in requests of one device or session' } }
/**
 * How long a request can hold a slot before its page is sent, in milliseconds. A request that takes longer is waiting for its client or
 * the database, not for the CPU, so the next one can start.
 */
const MAX_HOLD_MS = 500
/** How long a slot is held after a response to a visitor, or to a user or device, in milliseconds, to leave CPU time for check-ins. */
const VISITOR_PAUSE_MS = 30
const USER_PAUSE_MS = 10

/** The maximum number of requests without a session per address and minute. Opening a page and signing in takes about ten requests. */
const PER_MINUTE = 300
/** The maximum size of a visitor's request body, in bytes. Forms for visitors have only a few short fields. */
const MAX_VISITOR_BODY_BYTES = 16 * 1024

const slots = createSemaphore({ name: 'pages without a session', limit: LIMIT, queue: QUEUE, waitMs: WAIT_MS })
const dashboard = createSharedSemaphore({ name: 'dashboard pages', ...DASHBOARD })
const door = createSharedSemaphore({ name: 'check-in pages', ...DOOR })
const addresses = new RateLimiterMemory({ points: PER_MINUTE, duration: 60 })
const { perOwner, ...inTotal } = DOOR_ROUTES
const doorRoutes = createSharedSemaphore({ name: 'check-in requests', ...inTotal, perSeller: perOwner })
let refused = 0

reportLoad('pages', slots.load)
reportLoad('dashboard', dashboard.load)
reportLoad('door_pages', door.load)
reportLoad('door_requests', doorRoutes.load)
reportLoad('page_addresses', () => ({ active: 0, waiting: 0, refused }))

/** Matches the paths of build files. Percent-encoded paths do not match, because Next could decode them to different paths. */
const BUILD_FILE = /^\/_next\/static\/[\w./~-]+$/

/** Returns the session ID of a genuine session token, or undefined if the token is forged or has expired. */
type ReadSessionId = (token: string) => Promise<string | undefined>

type Session = { sellerId: string; sessionId: string }
/** Represents a missing or ended session. `LRUCache` cannot store undefined. */
const NO_SESSION: Session = { sellerId: '', sessionId: '' }

/**
 * The sessions of genuine tokens. Forged tokens are not cached, so that they cannot displace genuine ones. Nothing is cached while the
 * database is down.
 */
const sessions = new LRUCache<string, Session, { readSessionId: ReadSessionId; atDoor: boolean }>({
  max: 1_000,
  ttl: 60_000,
  fetchMethod: async (token, _, { context: { readSessionId, atDoor } }) => {
    const sessionId = await readSessionId(token)
    if (!sessionId) return undefined
    const user = await findSessionUser(sessionId, atDoor)
    return user ? { sellerId: user.sellerId, sessionId } : NO_SESSION
  },
})

const isDoor = (incoming: IncomingMessage) => /^\/door(?:\/|$)/.test(getPath(incoming))

/**
 * Returns the request's session, which was valid at most a minute ago; `NO_SESSION` if there is none, and undefined if the lookup failed.
 * The page itself checks the session again.
 */
async function findSession(incoming: IncomingMessage, readSessionId: ReadSessionId): Promise<Session | undefined> {
  const token = readSessionToken(incoming.headers.cookie)
  if (token === undefined) return NO_SESSION
  const context = { readSessionId, atDoor: isDoor(incoming) }
  try {
    return (await sessions.fetch(token, { context })) ?? NO_SESSION
  } catch {
    return undefined
  }
}

/** Matches the paths to which visitors can send forms. */
const PUBLIC_FORMS = /^\/(?:$|docs$|sign-in$|door\/enroll$|invite\/|api\/auth\/)/

/** Returns whether Next would run a server action that needs a session. */
const isUserAction = ({ method, headers }: IncomingMessage, path: string) =>
  method === 'POST' &&
  !PUBLIC_FORMS.test(path) &&
  (headers['next-action'] !== undefined ||
    /^(?:multipart\/form-data|application\/x-www-form-urlencoded)/i.test(headers['content-type'] ?? ''))

/**
 * Redirects to the sign-in page. Next's script expects the path in `x-action-redirect` instead of `Location`. On the dashboard, the script
 * gets a 401 instead, because a redirect would lose what the user has entered (`app/send-once.ts`).
 */
function redirectToSignIn(incoming: IncomingMessage, outgoing: ServerResponse): void {
  if (incoming.headers['next-action'] !== undefined && !isDoor(incoming)) {
    writeReply(incoming, outgoing, { status: 401, headers: headersFor(newRequestId()), body: '' })
    return
  }
  const target = `/sign-in?callbackUrl=${encodeURIComponent(getTarget(incoming))}`
  const [name, value] = incoming.headers['next-action'] === undefined ? ['Location', target] : ['x-action-redirect', `${target};push`]
  writeReply(incoming, outgoing, { status: 303, headers: { ...headersFor(newRequestId()), [name]: value }, body: '' })
}

/** A check-in device. It is not valid if it was revoked or has expired. */
type Device = Pick<ReportingDevice, 'id' | 'sellerId' | 'isValid'>

/**
 * The devices by device token. A request that finds an entry older than a minute renews it in the background, so that a known device never
 * competes with the visitors on its network.
 */
const devices = new LRUCache<string, Device>({
  max: 10_000,
  ttl: 60_000,
  allowStale: true,
  noDeleteOnFetchRejection: true,
  // If a known device no longer exists, returns it as not valid, because the cache would keep the old value if this returned undefined.
  fetchMethod: async (token, known) => (await findReportingDevice(token)) ?? (known && { ...known, isValid: false }),
})

const getDeviceToken = (incoming: IncomingMessage) => (isDoor(incoming) ? readDeviceToken(incoming.headers.cookie) : undefined)

/**
 * Returns whether a request is subject to a device's limits instead of a visitor's. For a revoked or expired device, only reports of unsent
 * scans are. The routes check the device again.
 */
const hasDeviceLimits = (incoming: IncomingMessage, { isValid }: Device) => isValid || getPath(incoming) === '/door/scans'

/** Returns the check-in device that sent the request, if it is already cached and its limits apply. */
function getCachedDevice(incoming: IncomingMessage): Device | undefined {
  const token = getDeviceToken(incoming)
  const device = token === undefined ? undefined : devices.peek(token, { allowStale: true })
  if (token === undefined || !device) return undefined
  void devices.fetch(token)
  return hasDeviceLimits(incoming, device) ? device : undefined
}

/** Returns the check-in device that sent the request, if its limits apply, and caches it. Returns undefined if the lookup fails. */
async function findDevice(incoming: IncomingMessage): Promise<Device | undefined> {
  const token = getDeviceToken(incoming)
  const device = token === undefined ? undefined : await devices.fetch(token).catch(() => undefined)
  return device && hasDeviceLimits(incoming, device) ? device : undefined
}

const isBuildFile = (incoming: IncomingMessage) =>
  (incoming.method === 'GET' || incoming.method === 'HEAD') && BUILD_FILE.test(getPath(incoming))

/** Counts a rejection and returns its error. @param seconds how long the client should wait */
function tooManyRequestsError(problem: string, seconds: number): ApiError {
  refused += 1
  return new ApiError('rate_limited', `${problem} ${retryIn(seconds)}`, undefined, { 'Retry-After': String(seconds) })
}

/** Counts a request from an address. @throws {ApiError} `rate_limited` if the address has sent too many */
async function limitAddress(address: string): Promise<void> {
  const { state, isExceeded } = await consume(addresses, address)
  if (!isExceeded) return
  const seconds = Math.ceil(state.msBeforeNext / 1000)
  throw tooManyRequestsError(`Too many requests from your network: at most ${PER_MINUTE} per minute without signing in.`, seconds)
}

/** Responds with an error: HTML for a browser that opens a page, JSON for a script. */
export function refuse(incoming: IncomingMessage, outgoing: ServerResponse, thrown: unknown): void {
  const reply = errorReply(thrown, newRequestId())
  if (!incoming.headers.accept?.includes('text/html')) {
    writeReply(incoming, outgoing, reply)
    return
  }
  const isUnavailable = reply.status === 503
  const title = isUnavailable ? 'Temporarily unavailable' : STATUS_CODES[reply.status]
  const message = isUnavailable ? 'Your request was not processed. Try again in a moment.' : toApiError(thrown).message
  const retryLink = incoming.method === 'POST' ? '' : '<p><a href="">Try again</a></p>'
  const body = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><title>${title}</title><h1>${title}</h1><p>${message}</p>${retryLink}</html>`
  const headers = {
    ...reply.headers,
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  }
  writeReply(incoming, outgoing, { status: reply.status, headers, body: incoming.method === 'HEAD' ? null : body })
}

/** Renders a page in a slot. Releases the slot `pauseMs` after the page is sent, or `MAX_HOLD_MS` after rendering started. */
function renderInSlot(
  page: RequestListener,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  release: () => void,
  pauseMs: number,
): void {
  const timer = setTimeout(release, MAX_HOLD_MS)
  const end = () => {
    clearTimeout(timer)
    setTimeout(release, pauseMs)
  }
  outgoing.once('finish', end).once('close', end)
  if (outgoing.destroyed) end()
  else page(incoming, outgoing)
}

/** The dependencies of the page handler. */
export type PageDependencies = {
  /** Renders a page, or runs a route of the check-in page. */
  render: DoorListener
  /** Returns whether `render` runs a route of the check-in page. */
  isDoorRoute: (incoming: IncomingMessage) => boolean
  readSessionId: ReadSessionId
  cache: PageCache
}

/** Serves a visitor without a session. */
async function serveVisitor({ render, cache }: PageDependencies, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  // Receive the body before acquiring a slot, which a slow upload would hold.
  const received = await receiveBody(incoming, MAX_VISITOR_BODY_BYTES)
  if (await cache.send(received, outgoing, undefined)) return
  renderInSlot(render, received, outgoing, await slots.acquire(), VISITOR_PAUSE_MS)
}

/** Runs a route of the check-in page in one of the owner's slots. Delays refusals to slow down clients that retry immediately. */
async function runDoorRoute(run: DoorListener, incoming: IncomingMessage, outgoing: ServerResponse, owner: string): Promise<void> {
  const release = await doorRoutes.acquire(owner).catch(async (error: unknown) => {
    await delayRefusal(owner, 'api', outgoing)
    throw error
  })
  if (outgoing.destroyed) release()
  else run(incoming, outgoing, () => setTimeout(release, USER_PAUSE_MS))
}

/** Serves a signed-in user or a check-in device. @param owner the ID of the session or device */
async function serveUser(
  { render, isDoorRoute, cache }: PageDependencies,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  sellerId: string,
  owner: string,
): Promise<void> {
  const received = await receiveBody(incoming, MAX_BODY_BYTES)
  if (await cache.send(received, outgoing, sellerId)) return
  if (isDoorRoute(incoming)) return runDoorRoute(render, received, outgoing, owner)
  const release = await (isDoor(incoming) ? door.acquire(sellerId, owner) : dashboard.acquire(sellerId))
  renderInSlot(render, received, outgoing, release, USER_PAUSE_MS)
}

async function serve(pages: PageDependencies, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  if (isBuildFile(incoming)) return pages.render(await receiveBody(incoming, MAX_VISITOR_BODY_BYTES), outgoing)
  const session = await findSession(incoming, pages.readSessionId)
  if (session?.sellerId) return serveUser(pages, incoming, outgoing, session.sellerId, session.sessionId)
  const token = getDeviceToken(incoming)
  // The limits on visitors do not apply to known devices, so that others on the same network cannot keep them from checking in guests.
  const known = getCachedDevice(incoming) ?? (token !== undefined && isKnownDevice(token) ? await findDevice(incoming) : undefined)
  if (known) return serveUser(pages, incoming, outgoing, known.sellerId, known.id)
  const address = readAddressHeader(incoming.headers)
  const leave = joinQueue(address)
  try {
    if (!leave) throw tooManyRequestsError('Too many requests from your network are waiting.', 1)
    await limitAddress(address)
    // Look up the device only after the limit, because a forged token costs a query.
    const device = await findDevice(incoming)
    if (device) await serveUser(pages, incoming, outgoing, device.sellerId, device.id)
    else if (session && isUserAction(incoming, getPath(incoming))) {
      if (abandonUpload(incoming)) await delayRefusal(address, 'upload', outgoing)
      redirectToSignIn(incoming, outgoing)
    } else await serveVisitor(pages, incoming, outgoing)
  } catch (error) {
    leave?.()
    await delayRefusal(address, abandonUpload(incoming) ? 'upload' : 'visitor', outgoing)
    refuse(incoming, outgoing, error)
  } finally {
    leave?.()
  }
}

/** Returns the handler for everything except the API. */
export const createPageHandler =
  (pages: PageDependencies): RequestListener =>
  (incoming, outgoing) =>
    void serve(pages, incoming, outgoing).catch((error: unknown) => refuse(incoming, outgoing, error))
