/** During a shutdown, every request that has begun to arrive gets its whole response, unless it takes too long. */
// @module-tag slow
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { expect, it, onTestFinished, vi } from 'vitest'
import { closeServer } from './close-server'
import { trackResponse } from './connections'
import { respondToConnect } from './refuse-request'

/** The maximum delay of a timer, in milliseconds. */
const NEVER = 2 ** 31 - 1
const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'

/** Starts a server. @returns the server, and a function that connects to it, sends text, and waits until the server has received it */
async function startServer(respond: RequestListener) {
  const sockets: Socket[] = []
  const server = createServer({ keepAliveTimeout: 0 }, (incoming, outgoing) => {
    trackResponse(outgoing)
    respond(incoming, outgoing)
  }).on('connect', respondToConnect)
  server.on('connection', (socket) => sockets.push(socket))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => server.closeAllConnections())
  const send = async (text: string) => {
    const count = sockets.length
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {})
    client.write(text)
    await vi.waitFor(() => expect(sockets[count]?.bytesRead).toBe(text.length), 20_000)
    return client
  }
  return { server, send }
}

/** Reads everything that a server sends until it closes the connection. */
async function readAll(client: Socket): Promise<string> {
  let text = ''
  client.setEncoding('latin1').on('data', (piece: string) => {
    text += piece
  })
  if (!client.closed) await once(client, 'close')
  return text
}

it('sends the whole response to a client that reads slowly, and then closes idle connections', async () => {
  // Larger than the buffers of the operating system.
  const body = 'a'.repeat(16 * 1024 * 1024)
  const { server, send } = await startServer((_, outgoing) => outgoing.end(body))
  const idle = await send(GET)
  await vi.waitFor(() => expect(idle.resume().bytesRead).toBeGreaterThan(body.length), 20_000)
  const slow = await send(GET)
  const closed = closeServer(server, NEVER)
  expect((await readAll(slow)).length).toBeGreaterThan(body.length)
  await closed
})

it('closes idle connections while a client reads slowly', async () => {
  const { server, send } = await startServer(({ url }, outgoing) => outgoing.end(url === '/large' ? 'a'.repeat(16 * 1024 * 1024) : 'small'))
  await send(GET.replace('/', '/large'))
  const idle = await send(GET)
  const closed = closeServer(server, 20_000)
  const start = performance.now()
  expect(await readAll(idle)).toContain('small')
  expect(performance.now() - start).toBeLessThan(10_000)
  server.closeAllConnections()
  await closed
})

it('responds to a request that has only partly arrived', async () => {
  const { server, send } = await startServer((_, outgoing) => outgoing.end('late'))
  const client = await send(GET.slice(0, 10))
  const closed = closeServer(server, NEVER)
  client.write(GET.slice(10))
  expect(await readAll(client)).toContain('late')
  await closed
})

it('aborts requests that take too long', async () => {
  const { server, send } = await startServer(() => {})
  const client = await send(GET)
  await closeServer(server, 50)
  expect(await readAll(client)).toBe('')
})

it('aborts a response that a client does not read, even if the client has sent a CONNECT', async () => {
  const { server, send } = await startServer((_, outgoing) => outgoing.end(Buffer.alloc(16 * 1024 * 1024)))
  const connected = once(server, 'connect')
  await send(`${GET}CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n`)
  await connected
  await closeServer(server, 50)
})
