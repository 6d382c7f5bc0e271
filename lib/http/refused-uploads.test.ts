/** A rejected upload costs the client more than the server: the rest is not read, and clients with many rejected requests have to wait. */
// @module-tag slow
import { once } from 'node:events'
import { Agent, createServer, IncomingMessage, request, type Server, ServerResponse } from 'node:http'
import { type AddressInfo, connect, Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest'
import { ApiError } from '../core/errors'
import { readBytes } from './body'
import { abandonUpload } from './connections'
import { delayRefusal, joinQueue } from './delay-refusal'
import { newRequestId, toApiRequest, writeReply } from './exchange'
import { errorReply } from './respond'

const MB = 1024 * 1024

let server: Server
let url: string
let sockets: Socket[]
/** Whether the server reads the body up to its limit, or not at all. */
let readsBody: boolean

beforeEach(async () => {
  sockets = []
  readsBody = false
  const respond = async (incoming: IncomingMessage) => {
    if (readsBody) await readBytes(toApiRequest(incoming, '', undefined), 64 * 1024)
    throw new ApiError('route_not_found', 'There is nothing at this path.')
  }
  server = createServer((incoming, outgoing) => {
    respond(incoming).catch((error: unknown) => writeReply(incoming, outgoing, errorReply(error, newRequestId())))
  })
  server.on('connection', (socket) => sockets.push(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

afterEach(async () => {
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
})

/** Uploads a body as fast as the server reads it, until the response is complete. */
function upload(bytes: number, headers: Record<string, string | number>): Promise<{ status: number; text: string; connection: unknown }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (piece) => {
        text += piece
      })
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, text, connection: response.headers.connection })
        if (!sent.writableFinished) sent.destroy()
      })
    })
    sent.on('error', reject)
    const piece = Buffer.alloc(MB, 'a')
    const write = (left: number): void => {
      if (left === 0) sent.end()
      else if (sent.write(piece)) write(left - MB)
      else sent.once('drain', () => write(left - MB))
    }
    write(bytes)
  })
}

it.each([
  ['a declared length that is not checked', { 'Content-Length': 20 * MB }, false, 404],
  ['a declared length that is checked', { 'Content-Length': 20 * MB }, true, 413],
  ['chunks that are not read', { 'Transfer-Encoding': 'chunked' }, false, 404],
  ['chunks that are read up to the limit', { 'Transfer-Encoding': 'chunked' }, true, 413],
])('a client that sends 20 MB gets the response, and the server does not read the rest: %s', async (_, headers, isRead, status) => {
  readsBody = isRead
  const reply = await upload(20 * MB, headers)
  expect([reply.status, reply.connection]).toEqual([status, 'close'])
  expect(JSON.parse(reply.text)).toHaveProperty('code')
  const [socket] = sockets
  await expect.poll(() => socket?.destroyed).toBe(true)
  expect(socket?.bytesRead).toBeLessThan(MB / 2)
})

it.each([
  ['when its headers arrive', false],
  ['when a part of it has arrived', true],
])('a long upload that is abandoned %s takes no memory while its refusal is delayed', async (_, hasArrivedInPart) => {
  const abandoned = new Promise<IncomingMessage>((resolve) => {
    server.removeAllListeners('request').on('request', async (incoming: IncomingMessage) => {
      while (hasArrivedInPart && incoming.readableLength === 0) await pause(5)
      abandonUpload(incoming)
      resolve(incoming)
    })
  })
  const client = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => {})
  onTestFinished(() => void client.destroy())
  const headers = Buffer.from(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${20 * MB}\r\n\r\n`)
  // The operating system buffers what the server does not read.
  await new Promise((resolve) => client.write(Buffer.concat([headers, Buffer.alloc(MB, 'a')]), resolve))
  const incoming = await abandoned
  await pause(50)
  expect(incoming.readableLength).toBe(0)
  expect(incoming.socket.bytesRead).toBeLessThan(MB / 2)
})

it('closes the connection of a client that neither sends the rest nor closes the connection', async () => {
  const client = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true })
  client.on('error', () => {}).write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${20 * MB}\r\n\r\na`)
  const [response] = (await once(client, 'data')) as [Buffer]
  expect(response.toString()).toContain('404 Not Found')
  await expect.poll(() => sockets[0]?.destroyed).toBe(true)
  client.destroy()
})

it('keeps the connection open if the rest of a rejected upload is short', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  for (let sent = 0; sent < 2; sent += 1) {
    const call = request(url, { method: 'POST', headers: { 'Content-Length': 64 * 1024 }, agent })
    call.flushHeaders()
    const [response] = (await once(call, 'response')) as [IncomingMessage]
    expect([response.statusCode, response.headers.connection]).toEqual([404, 'keep-alive'])
    response.resume()
    call.end('a'.repeat(64 * 1024))
    await once(call, 'close')
  }
  expect(sockets).toHaveLength(1)
  agent.destroy()
})

it.each([
  ['visitor', 'fifty', (index: number) => `192.0.2.${index}`],
  ['invalidKey', 'fifty', (index: number) => `192.0.2.${index}`],
  ['api', 'ten for one address', () => '192.0.2.60'],
] as const)('delays refusals of kind %s by a second if there are more than %s per second', async (kind, _, address) => {
  const startedAt = performance.now()
  const ended = await Promise.all(
    Array.from({ length: 60 }, async (_, index) => {
      await delayRefusal(address(index), kind)
      return performance.now() - startedAt
    }),
  )
  expect(ended.filter((ms) => ms > 900)).toHaveLength(kind === 'api' ? 50 : 10)
})

it('delays refusals of one visitor, however many connections they have', async () => {
  const startedAt = performance.now()
  const ended = await Promise.all(
    Array.from({ length: 150 }, async () => {
      await delayRefusal('192.0.2.70', 'visitor')
      return performance.now() - startedAt
    }),
  )
  expect(ended.filter((ms) => ms > 900).length).toBeGreaterThanOrEqual(100)
})

/** Refuses 60 API requests from an address. @returns `sent`, which returns the number of refusals sent so far, and a promise for all */
function refuseOften(address: string, responses: ServerResponse[] = []): { sent(): number; all: Promise<unknown> } {
  let sent = 0
  const all = Promise.all(
    Array.from({ length: 60 }, async (_, index) => {
      await delayRefusal(address, 'api', responses[index])
      sent += 1
    }),
  )
  return { sent: () => sent, all }
}

it('does not delay an API client because of another address', async () => {
  const others = refuseOften('192.0.2.61')
  await delayRefusal('192.0.2.62', 'api')
  expect(others.sent()).toBeLessThanOrEqual(10)
  await others.all
})

it('ends the delay when the client disconnects', async () => {
  const responses = Array.from({ length: 60 }, () => new ServerResponse(new IncomingMessage(new Socket())))
  const [waiting, control] = [refuseOften('192.0.2.63', responses), refuseOften('192.0.2.64')]
  await pause(0)
  for (const response of responses) response.emit('close')
  await waiting.all
  expect(control.sent()).toBe(10)
  await control.all
})

it('delays refusals of long uploads by a second if there are more than five per second', async () => {
  const startedAt = performance.now()
  const ended = await Promise.all(
    Array.from({ length: 8 }, async (_, index) => {
      await delayRefusal(`203.0.113.${index}`, 'upload')
      return performance.now() - startedAt
    }),
  )
  expect(ended.filter((ms) => ms > 900)).toHaveLength(3)
})

it('does not delay further requests of an address if 20 are already waiting', async () => {
  const leave = Array.from({ length: 20 }, () => joinQueue('198.51.100.1'))
  expect(leave.filter(Boolean)).toHaveLength(20)
  expect(joinQueue('198.51.100.1')).toBeUndefined()
  expect(joinQueue('198.51.100.2')?.()).toBeUndefined()
  for (const leaveQueue of leave) leaveQueue?.()
  const again = joinQueue('198.51.100.1')
  expect(again).toBeDefined()
  again?.()
})
