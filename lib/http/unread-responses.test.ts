/**
 * New lists are rejected while too many bytes of responses are unread, and a client that reads nothing is disconnected, unless it is
 * waiting for the server.
 */
// @module-tag slow
import { once } from 'node:events'
import { createServer, get, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { reportedLoads } from '@/db/semaphore'
import { makeKey, makeSeller, openTestDatabase } from '@/testing/seller'
import { resources } from '../catalog'
import { limitStall, trackResponse } from './connections'
import { fromRequest, toResponse, writeReply } from './exchange'
import { listRoute } from './list-route'
import { respondToConnect } from './refuse-request'
import { assertFewUnread, takeBuffer } from './unread-responses'

beforeAll(openTestDatabase)

const { handle } = listRoute(resources.coupons).GET

const list = async (key: string) => {
  const request = fromRequest(new Request('http://x/v1/coupons', { headers: { Authorization: `Bearer ${key}` } }))
  return toResponse(await handle(request, {}))
}

it('rejects a seller’s list requests while 16 MiB of responses are unread, and accepts them once the connection is closed', async () => {
  const [seller, other] = [await makeSeller(), await makeSeller()]
  const [own, others] = [(await makeKey(seller)).key, (await makeKey(other)).key]
  const body = 'a'.repeat(16 * 1024 * 1024)
  const server = createServer((incoming, outgoing) => writeReply(incoming, outgoing, { status: 200, headers: {}, body, sellerId: seller }))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const sent = get(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const refused = await list(own)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
  expect((await list(others)).status).toBe(200)
  response.destroy()
  await expect.poll(async () => (await list(own)).status).toBe(200)
  server.close()
})

/**
 * Sends requests on one connection, and waits until the seller has too many unread responses.
 *
 * @param count the number of responses left to the caller; all later responses wait for them
 */
async function sendAtOnce(seller: string, count: number) {
  const held: ServerResponse[] = []
  const server = createServer((incoming, outgoing) => {
    trackResponse(outgoing)
    if (held.length < count) held.push(outgoing)
    else writeReply(incoming, outgoing, { status: 200, headers: {}, body: takeBuffer(1), sellerId: seller })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {})
  onTestFinished(() => {
    client.destroy()
    server.close()
  })
  client.resume().write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(count + 1024))
  await vi.waitFor(() => expect(() => assertFewUnread(seller)).toThrow('have not been read'), 20_000)
  return { client, held }
}

it('counts the memory that a short response takes', async () => {
  const seller = 'a'.repeat(24)
  const { held } = await sendAtOnce(seller, 1)
  held[0]?.end()
  await vi.waitFor(() => assertFewUnread(seller), 20_000)
})

it('no longer counts responses that wait for an earlier one once their connection is closed', async () => {
  const seller = 'b'.repeat(24)
  const { held } = await sendAtOnce(seller, 1)
  // As `limitStall` does. The first response is never sent.
  held[0]?.socket?.destroy()
  await vi.waitFor(() => assertFewUnread(seller), 20_000)
})

it('closes the connection when it is the turn of a response that was destroyed while it waited', async () => {
  const seller = 'c'.repeat(24)
  const { client, held } = await sendAtOnce(seller, 2)
  const [first, second] = held as [ServerResponse, ServerResponse]
  // As `destroy` does from Node 24. In earlier versions, `destroy` also makes Node close the connection.
  Object.assign(second, { destroyed: true }).emit('close')
  first.end()
  await vi.waitFor(() => expect(client.destroyed).toBe(true), 20_000)
  await vi.waitFor(() => assertFewUnread(seller), 20_000)
})

const STALL_MS = 200

/** Larger than the socket buffers on both sides. */
const LARGE = Buffer.alloc(64 * 1024 * 1024)

/**
 * Sends a request from a client that does not read the response.
 *
 * @param next the bytes that the client sends after its request
 * @returns the client's socket, and a function that returns whether the response is closed
 */
async function openStalled(handle: RequestListener, next = '') {
  let isClosed = false
  const server = createServer((request, response) => {
    limitStall(response, STALL_MS)
    trackResponse(response)
    response.once('close', () => {
      isClosed = true
    })
    handle(request, response)
  }).on('connect', respondToConnect)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {})
  onTestFinished(() => {
    socket.destroy()
    server.closeAllConnections()
    server.close()
  })
  socket.pause()
  socket.write(`GET / HTTP/1.1\r\nHost: localhost\r\n\r\n${next}`)
  return { socket, isClosed: () => isClosed }
}

const closedCount = () => reportedLoads().get('stalled_responses')?.refused ?? 0

it('closes the connection of a client that reads nothing', async () => {
  const before = closedCount()
  const { isClosed } = await openStalled((_, response) => response.end(LARGE))
  await expect.poll(isClosed).toBe(true)
  expect(closedCount()).toBe(before + 1)
})

it('closes the connection of a client that reads nothing, even if the client has sent a CONNECT', async () => {
  const { isClosed } = await openStalled((_, response) => response.end(LARGE), 'CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n')
  await expect.poll(isClosed).toBe(true)
})

it('keeps the connection open while the server takes longer than the stall limit to respond', async () => {
  const before = closedCount()
  const { socket } = await openStalled((_, response) => void pause(4 * STALL_MS).then(() => response.end('late')))
  let text = ''
  socket.on('data', (data) => {
    text += data
  })
  socket.resume()
  await expect.poll(() => text).toContain('late')
  expect(closedCount()).toBe(before)
})

it('closes the connection of a client that reads nothing, even if the server responded slowly', async () => {
  const { isClosed } = await openStalled((_, response) => void pause(3 * STALL_MS).then(() => response.end(LARGE)))
  await expect.poll(isClosed).toBe(true)
})
