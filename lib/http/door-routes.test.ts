/** The check-in page's routes run in the server's process, even if their paths are written in unusual ways. */
import { once } from 'node:events'
import { createServer, request, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { makeDevice, makeOwner } from '@/testing/devices'
import { importLines, makeSeller, minimal, openTestDatabase } from '@/testing/seller'
import { trackResponse } from './connections'
import { handleDoorRoutes } from './door-routes'
import { readDoorRoutes } from './route-tree'

let server: Server
let url: string
let ended: Promise<unknown>
/** Called when the stream of `late` is canceled. */
const cancel = vi.fn()
const late = vi.fn(async ({ signal }: Request) => {
  await once(signal, 'abort')
  return new Response(new ReadableStream({ cancel }))
})

beforeAll(openTestDatabase)
beforeAll(async () => {
  const routes = await readDoorRoutes(join(import.meta.dirname, '../../app'))
  const events = async ({ signal }: Request) => {
    ended = once(signal, 'abort')
    return new Response(new ReadableStream({ start: (controller) => controller.enqueue('data: 1\n\n') }))
  }
  const failing = async () => {
    throw new Error('a bug')
  }
  const cookies = async () =>
    new Response(null, {
      headers: [
        ['Set-Cookie', 'a=1'],
        ['Set-Cookie', 'b=2'],
      ],
    })
  const silent = () => new Promise<Response>(() => {})
  const all = new Map([
    ...routes,
    ...Object.entries({ events, failing, cookies, silent, late }).map(([name, GET]) => [`/door/${name}`, { GET }] as const),
  ])
  const handle = handleDoorRoutes(all, (_, outgoing) => outgoing.end('a page'))
  server = createServer((incoming, outgoing) => {
    trackResponse(outgoing)
    handle(incoming, outgoing)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

it('checks in a guest, however the path is written, but not for a request from another site or with a forged session', async () => {
  const sellerId = await makeSeller()
  const { cookie } = await makeDevice(sellerId, await makeOwner(sellerId))
  await importLines('tickets', sellerId, [minimal('tickets', { qrCode: 'guest' })])
  const scan = (path: string, headers = {}) =>
    fetch(url + path, {
      method: 'POST',
      headers: { Cookie: cookie, 'Content-Type': 'application/json', 'Sec-Fetch-Site': 'same-origin', ...headers },
      body: JSON.stringify({ key: path, code: 'guest', checkIn: true }),
    })
  const response = await scan('/door/scan')
  expect([response.status, await response.json()]).toMatchObject([200, { kind: 'admitted' }])
  expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  for (const path of ['/door/scan/', '/door/%73can', '/door/scan?x'])
    expect(await (await scan(path)).json(), path).toMatchObject({ kind: 'already_checked_in' })
  expect((await scan('/door/scan', { 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403)
  expect((await scan('/door/scan', { Cookie: 'next-auth.session-token=forged' })).status).toBe(401)
})

it('sends every cookie that a route sets', async () => {
  expect((await fetch(`${url}/door/cookies`)).headers.getSetCookie()).toEqual(['a=1', 'b=2'])
})

it('leaves pages, and methods that a route does not support, to Next', async () => {
  for (const path of ['/door', '/door/enroll', '/door/scan', '/door/%']) expect(await (await fetch(url + path)).text(), path).toBe('a page')
})

it('responds to HEAD without a body, and with a 500 if a handler fails', async () => {
  const head = await fetch(`${url}/door/turnout`, { method: 'HEAD' })
  expect([head.status, await head.text()]).toEqual([403, ''])
  expect((await fetch(`${url}/door/failing`)).status).toBe(500)
})

it('cancels a stream whose client disconnects before the handler returns', async () => {
  const { hostname, port } = new URL(url)
  const client = connect(Number(port), hostname)
  // The response to the second request waits for the first one.
  client.write(['silent', 'late'].map((name) => `GET /door/${name} HTTP/1.1\r\nHost: x\r\n\r\n`).join(''))
  await vi.waitFor(() => expect(late).toHaveBeenCalled(), 20_000)
  client.destroy()
  await vi.waitFor(() => expect(cancel).toHaveBeenCalled(), 20_000)
})

it('streams events until the client disconnects', async () => {
  const call = request(`${url}/door/events`).end()
  const [response] = await once(call, 'response')
  expect(String((await once(response, 'data'))[0])).toBe('data: 1\n\n')
  call.destroy()
  await ended
})
