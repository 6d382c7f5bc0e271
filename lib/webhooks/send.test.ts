/** Every attempt ends, even if its response does not, and nothing that happens after the status has arrived changes the outcome. */
// @module-tag slow

import type { AddressInfo } from 'node:net'
import { createServer, type Server, type Socket } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { sendMessage } from './send'

let server: Server
const sockets = new Set<Socket>()

/** Starts a server that writes the raw HTTP response `text` once per connection, and then calls `end`. @returns its URL */
async function startServer(text: string, end: (socket: Socket) => void = () => {}): Promise<string> {
  server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('data', () => socket.write(text, () => end(socket)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

afterEach(() => {
  for (const socket of sockets) socket.destroy()
  sockets.clear()
  server.close()
})

const send = (url: string, timeoutMs = 60_000) => sendMessage(url, { headers: {}, body: '{}' }, true, timeoutMs)

it('treats 101 Switching Protocols as a response with status 101', async () => {
  const url = await startServer('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n')
  expect(await send(url)).toMatchObject({ status: 101, error: null })
})

const OPEN = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n'

it('a body that never ends does not change the status', async () => {
  expect(await send(await startServer(OPEN), 2_000)).toMatchObject({ status: 200, error: null, responseBody: 'x' })
})

it('a truncated body does not change the status', async () => {
  const url = await startServer(OPEN, (socket) => setTimeout(() => socket.resetAndDestroy(), 50))
  expect(await send(url)).toMatchObject({ status: 200, error: null, responseBody: 'x' })
})

it('does not use HTTP unless it is allowed, even if the endpoint was created while it was', async () => {
  const url = await startServer('HTTP/1.1 200 OK\r\n\r\n')
  const attempt = await sendMessage(url, { headers: {}, body: '{}' }, false)
  expect(attempt).toMatchObject({ status: null, error: 'insecure_url' })
  expect(sockets.size).toBe(0)
})

it('reports a timeout if no response arrives', async () => {
  expect(await send(await startServer(''), 200)).toMatchObject({ status: null, error: 'timeout', responseBody: null })
})
