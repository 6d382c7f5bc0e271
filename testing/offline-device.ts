/** Creates check-in devices for tests: the offline engine with the real routes and database over a simulated network. */
import { POST as admitRoute } from '@/app/door/admit/route'
import { createEngine } from '@/app/door/offline/engine'
import type { EngineScan } from '@/app/door/offline/scan-request'
import { openStore } from '@/app/door/offline/store'
import { POST as scanRoute } from '@/app/door/scan/route'
import { POST as scansRoute } from '@/app/door/scans/route'
import { GET as ticketsRoute } from '@/app/door/tickets/route'
import { POST as undoRoute } from '@/app/door/undo/route'
import type { DeviceRight } from '@/lib/accounts/check-in-devices'
import { updateCheckoutPage } from '@/lib/accounts/checkout-pages'
import { getTicketDetails } from '@/lib/admission/ticket-details'
import { doorRequest, makeDevice, makeOwner, newId } from './devices'
import { importLines, type Line, makeSeller, minimal } from './seller'

const ROUTES: Record<string, (request: Request) => Promise<Response>> = {
  '/door/admit': admitRoute,
  '/door/scan': scanRoute,
  '/door/scans': scansRoute,
  '/door/tickets': ticketsRoute,
  '/door/undo': undoRoute,
}

/**
 * What happens to requests. `lost`: they are handled, but the responses are lost. `silent`: they get no response. `stalled`: the response
 * headers arrive, but the body never does. `busy`: they get a 503, except for `/door/scan`. `proxy`: a proxy responds with its own sign-in
 * page.
 */
export type NetworkState = 'up' | 'down' | 'lost' | 'silent' | 'stalled' | 'busy' | 'proxy'

/** Returns the code of the ticket with this index. Its entropy is high enough not to need slow key derivation. */
export const strongCode = (index: number) => `K7qW2xZr9LmT4vBn8HcYs3Dj${String(index).padStart(4, '0')}`

type Network = {
  state: NetworkState
  /** Returns whether the server rejects a request with this body. */
  isRejected?: (body: string) => boolean
  /** Returns whether the response to a request is lost. */
  losesResponse?: () => boolean
  /** Whether the server uses a newer protocol than the page. */
  hasNewerProtocol?: boolean
  /** Called before each request for the ticket list. */
  onListRequest?: () => unknown
}

/**
 * Opens the check-in page on a device. To simulate a killed page, open it again with the same storage.
 *
 * @param storage the name of the device's database
 * @param clockAheadMs how far the device's clock is ahead of the server's, in milliseconds
 */
export async function openDevice(cookie: string, storage = newId(), clockAheadMs = 0) {
  const store = await openStore(storage)
  const network: Network = { state: 'up' }
  const send = async (path: string, request: RequestInit): Promise<Response> => {
    if (network.state === 'down') throw new TypeError('connection lost')
    if (network.state === 'proxy') return new Response('<h1>Sign in</h1>', { status: 401, headers: { 'Content-Type': 'text/html' } })
    if (path.startsWith('/door/tickets')) await network.onListRequest?.()
    if (network.state === 'silent')
      return new Promise((_, reject) => request.signal?.addEventListener('abort', () => reject(new TypeError('aborted'))))
    const body = typeof request.body === 'string' ? request.body : undefined
    if (network.state === 'busy' && path !== '/door/scan') return new Response(null, { status: 503 })
    if (body !== undefined && network.isRejected?.(body)) return Response.json({}, { status: 400 })
    const route = ROUTES[path.split('?')[0] ?? '']
    if (!route) throw new Error(`The test device has no route for ${path}.`)
    const response = await route(doorRequest(path, cookie, body === undefined ? undefined : JSON.parse(body)))
    if (network.state === 'lost' || network.losesResponse?.()) throw new TypeError('connection lost')
    if (network.state === 'stalled') {
      const start = (controller: ReadableStreamDefaultController) => {
        const fail = () => controller.error(new TypeError('aborted'))
        // On a busy machine, the timeout may expire before the route has responded.
        if (request.signal?.aborted) fail()
        else request.signal?.addEventListener('abort', fail)
      }
      return new Response(new ReadableStream({ start }), { headers: { 'Content-Type': 'application/json' } })
    }
    if (network.hasNewerProtocol && path.startsWith('/door/tickets'))
      return Response.json({ ...((await response.json()) as Line), protocol: 99, entries: 'in another form' })
    return response
  }
  const now = () => Date.now() + clockAheadMs
  // On a busy machine, a response may take longer than the engine's default timeout.
  const engine = createEngine({ store, send, now, exclusively: (work) => work(), timeoutMs: 60_000 })
  return { engine, network, send, store, storage }
}
type Device = Awaited<ReturnType<typeof openDevice>>

/** Returns where a ticket was checked and the result, such as `local admitted` or `server unknown`, or `none` if it was not checked. */
export const readKind = async (result: EngineScan): Promise<string> => {
  if (result.decidedBy === 'device') return `local ${result.decision.kind}`
  return result.decidedBy === 'server' ? `server ${((await result.response.json()) as { kind: string }).kind}` : 'none'
}

/** Scans a code. @returns the result in the format of `readKind` */
export const scan = async ({ engine }: Pick<Device, 'engine'>, code: string, id = newId()) =>
  readKind(await engine.scan({ id, code, checkIn: true, pageId: undefined }))

/**
 * Creates a shop with `count` tickets, with codes from `strongCode`.
 *
 * @param hasOfflineSearch whether the tickets are for an event with offline search by name; otherwise, they have no event
 * @returns the shop, with functions that add a device and return a ticket's history
 */
export async function createShop(count: number, overrides: Line = {}, hasOfflineSearch = false) {
  const sellerId = await makeSeller()
  const owner = await makeOwner(sellerId)
  const page = minimal('pages', { name: 'Jazz' })
  if (hasOfflineSearch) {
    await importLines('pages', sellerId, [page])
    await updateCheckoutPage(sellerId, String(page.id), { name: 'Jazz', entryPolicy: 'single', offlineSearch: true }, owner)
  }
  const guest = { customerEmail: 'ada@example.com', ...(hasOfflineSearch ? { pageId: page.id } : {}), ...overrides }
  const tickets = Array.from({ length: count }, (_, index) =>
    minimal('tickets', { qrCode: strongCode(index), customerName: `Guest Lovelace${index}`, ...guest }),
  )
  await importLines('tickets', sellerId, tickets)
  const addDevice = async (name = 'Gate 1', rights: DeviceRight[] = ['offline', 'names'], clockAheadMs = 0) => {
    const device = await makeDevice(sellerId, owner, { name, rights })
    return { ...device, ...(await openDevice(device.cookie, undefined, clockAheadMs)) }
  }
  const history = async (index: number) =>
    (await getTicketDetails(sellerId, String(tickets[index]?.id), undefined)).history.map(({ status, who }) => [status, who])
  return { sellerId, owner, tickets, addDevice, history }
}
