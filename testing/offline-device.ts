/** A check-in device in tests: the engine of the check-in page with the real routes and database, on a network that can fail. */
import { randomBytes } from 'node:crypto'
import { POST as admitRoute } from '@/app/door/admit/route'
import { createEngine, type EngineOptions, type EngineScan } from '@/app/door/offline/engine'
import { openStore } from '@/app/door/offline/store'
import { POST as scanRoute } from '@/app/door/scan/route'
import { POST as scansRoute } from '@/app/door/scans/route'
import { GET as ticketsRoute } from '@/app/door/tickets/route'
import type { DeviceRight } from '@/lib/accounts/check-in-devices'
import { updateCheckoutPage } from '@/lib/accounts/checkout-pages'
import { openTicket } from '@/lib/admission/open-ticket'
import { makeDevice, makeOwner } from './devices'
import { importLines, type Line, makeSeller, minimal } from './seller'

const ROUTES: Record<string, (request: Request) => Promise<Response>> = {
  '/door/admit': admitRoute,
  '/door/scan': scanRoute,
  '/door/scans': scansRoute,
  '/door/tickets': ticketsRoute,
}

/**
 * What happens to requests. `lost`: handled, but the responses are lost. `silent`: no response. `stalled`: the response has no end. `busy`:
 * 503, except for online scans.
 */
export type NetworkLine = 'up' | 'down' | 'lost' | 'silent' | 'stalled' | 'busy'

export const newId = () => randomBytes(16).toString('hex')
export const strongCode = (index: number) => `K7qW2xZr9LmT4vBn8HcYs3Dj${String(index).padStart(4, '0')}`

/** Opens a device. To simulate a device whose page was killed, open it again with the same storage. */
export async function openDevice(
  cookie: string,
  storage = newId(),
  clockAhead = 0,
  exclusively: EngineOptions['exclusively'] = (_, work) => work(),
) {
  const store = await openStore(storage)
  const network: { line: NetworkLine; refuse?: (body: string) => boolean; isNewer?: boolean; onList?: () => unknown } = { line: 'up' }
  const send = async (path: string, request: RequestInit): Promise<Response> => {
    if (network.line === 'down') throw new TypeError('connection lost')
    if (path.startsWith('/door/tickets')) await network.onList?.()
    if (network.line === 'silent')
      return new Promise((_, reject) => request.signal?.addEventListener('abort', () => reject(new TypeError('aborted'))))
    const body = typeof request.body === 'string' ? request.body : undefined
    const headers = {
      Cookie: cookie,
      'Sec-Fetch-Site': 'same-origin',
      ...(body === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': `${body.length}` }),
    }
    if (network.line === 'busy' && path !== '/door/scan') return new Response(null, { status: 503 })
    if (body !== undefined && network.refuse?.(body)) return new Response('{}', { status: 400 })
    const route = ROUTES[path.split('?')[0] ?? '']
    if (!route) throw new Error(path)
    const response = await route(
      new Request(`http://localhost${path}`, { headers, ...(body === undefined ? {} : { method: 'POST', body }) }),
    )
    if (network.line === 'lost') throw new TypeError('connection lost')
    if (network.line === 'stalled') {
      const start = (controller: ReadableStreamDefaultController) => {
        const fail = () => controller.error(new TypeError('aborted'))
        // On a busy machine, the time limit can be over before the route has responded.
        if (request.signal?.aborted) fail()
        else request.signal?.addEventListener('abort', fail)
      }
      return new Response(new ReadableStream({ start }))
    }
    if (network.isNewer && path.startsWith('/door/tickets'))
      return Response.json({ ...((await response.json()) as Line), protocol: 99, entries: 'in another form' })
    return response
  }
  const now = () => Date.now() + clockAhead
  // On a busy machine, a response can take longer than the engine waits by default.
  const engine = createEngine({ store, send, now, exclusively, timeoutMs: 60_000 })
  return { engine, network, send, store, storage }
}
type Device = Awaited<ReturnType<typeof openDevice>>

export const readKind = async (result: EngineScan): Promise<string> => {
  if (result.by === 'device') return `local ${result.decision.kind}`
  return result.by === 'server' ? `server ${((await result.response.json()) as { kind: string }).kind}` : 'none'
}

export const scan = async ({ engine }: Pick<Device, 'engine'>, code: string, id = newId()) =>
  readKind(await engine.scan({ id, code, checkIn: true, pageId: undefined }))

export async function openShop(count: number, given: Line = {}, hasOfflineSearch = false) {
  const sellerId = await makeSeller()
  const owner = await makeOwner(sellerId)
  const page = minimal('pages', { name: 'Jazz' })
  if (hasOfflineSearch) {
    await importLines('pages', sellerId, [page])
    await updateCheckoutPage(sellerId, String(page.id), { name: 'Jazz', entryPolicy: 'single', offlineSearch: true }, owner)
  }
  const guest = { customerEmail: 'ada@example.com', ...(hasOfflineSearch ? { pageId: page.id } : {}), ...given }
  const tickets = Array.from({ length: count }, (_, index) =>
    minimal('tickets', { qrCode: strongCode(index), customerName: `Guest Lovelace${index}`, ...guest }),
  )
  await importLines('tickets', sellerId, tickets)
  const make = async (name = 'Gate 1', rights: DeviceRight[] = ['offline', 'names'], clockAhead = 0) => {
    const made = await makeDevice(sellerId, owner, { name, rights })
    return { ...made, ...(await openDevice(made.cookie, undefined, clockAhead)) }
  }
  const history = async (index: number) =>
    (await openTicket(sellerId, String(tickets[index]?.id), undefined)).history.map(({ status, who }) => [status, who])
  return { sellerId, owner, tickets, make, history }
}
