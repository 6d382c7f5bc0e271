/** The server does not read the rest of a rejected upload, and delays refusals if it sends many of them. */
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
    const outgoing = request(url, { method: 'POST', headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk
      })
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, text, connection: response.headers.connection })
        if (!outgoing.writableFinished) outgoing.destroy()
      })
    })
    outgoing.on('error', reject)
    const chunk = Buffer.alloc(MB, 'a')
    const write = (left: number): void => {
      if (left === 0) outgoing.end()
      else if (outgoing.write(chunk)) write(left - MB)
      else outgoing.once('drain', () => write(left - MB))
    }
    write(bytes)
  })
}

it.each([
  ['Content-Length, body not read', { 'Content-Length': 20 * MB }, false, 404],
  ['Content-Length, body read', { 'Content-Length': 20 * MB }, true, 413],
  ['chunked, body not read', { 'Transfer-Encoding': 'chunked' }, false, 404],
  ['chunked, body read up to the limit', { 'Transfer-Encoding': 'chunked' }, true, 413],
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
  ['after part of it has arrived', true],
])('stops reading a long upload that is abandoned %s, and frees its memory', async (_, isPartlyReceived) => {
  const abandoned = new Promise<IncomingMessage>((resolve) => {
    server.removeAllListeners('request').on('request', async (incoming: IncomingMessage) => {
      while (isPartlyReceived && incoming.readableLength === 0) await pause(5)
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

it('keeps the connection open if a rejected upload has at most 64 KiB', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const outgoing = request(url, { method: 'POST', headers: { 'Content-Length': 64 * 1024 }, agent })
    outgoing.flushHeaders()
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
    expect([response.statusCode, response.headers.connection]).toEqual([404, 'keep-alive'])
    response.resume()
    outgoing.end('a'.repeat(64 * 1024))
    await once(outgoing, 'close')
  }
  expect(sockets).toHaveLength(1)
  agent.destroy()
})

/** Refuses requests at the same time. @returns the number of refusals that took about a second or longer */
async function countDelayed(
  count: number,
  kind: Parameters<typeof delayRefusal>[1],
  getAddress: (index: number) => string,
): Promise<number> {
  const startedAt = performance.now()
  const durations = await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      await delayRefusal(getAddress(index), kind)
      return performance.now() - startedAt
    }),
  )
  return durations.filter((ms) => ms > 900).length
}

it.each([
  ['visitor', 50, (index: number) => `192.0.2.${index}`],
  ['invalidKey', 50, (index: number) => `192.0.2.${index}`],
  ['api (per address)', 10, () => '192.0.2.60'],
  ['upload', 5, (index: number) => `203.0.113.${index}`],
] as const)('%s: delays refusals by at least a second after the first %i within a second', async (name, limit, getAddress) => {
  const [kind] = name.split(' ') as ['visitor' | 'invalidKey' | 'api' | 'upload']
  expect(await countDelayed(60, kind, getAddress)).toBe(60 - limit)
})

it('delays at least 100 of 150 concurrent refusals of the same visitor', async () => {
  expect(await countDelayed(150, 'visitor', () => '192.0.2.70')).toBeGreaterThanOrEqual(100)
})

/** Sends 60 refusals to an API client. @returns `sent`, which returns the number of refusals sent so far, and a promise for all of them */
function sendRefusals(address: string, responses: ServerResponse[] = []): { sent(): number; all: Promise<unknown> } {
  let sent = 0
  const all = Promise.all(
    Array.from({ length: 60 }, async (_, index) => {
      await delayRefusal(address, 'api', responses[index])
      sent += 1
    }),
  )
  return { sent: () => sent, all }
}

it('does not delay an API client because of refusals to another address', async () => {
  const others = sendRefusals('192.0.2.61')
  await delayRefusal('192.0.2.62', 'api')
  expect(others.sent()).toBeLessThanOrEqual(10)
  await others.all
})

it('ends the delay when the client disconnects', async () => {
  const responses = Array.from({ length: 60 }, () => new ServerResponse(new IncomingMessage(new Socket())))
  const [waiting, control] = [sendRefusals('192.0.2.63', responses), sendRefusals('192.0.2.64')]
  await pause(0)
  for (const response of responses) response.emit('close')
  await waiting.all
  expect(control.sent()).toBe(10)
  await control.all
})

it('does not let more than 20 requests from one address wait', async () => {
  const waiting = Array.from({ length: 20 }, () => joinQueue('198.51.100.1'))
  expect(waiting.filter(Boolean)).toHaveLength(20)
  expect(joinQueue('198.51.100.1')).toBeUndefined()
  const other = joinQueue('198.51.100.2')
  expect(other).toBeDefined()
  for (const leave of [...waiting, other]) leave?.()
  const later = joinQueue('198.51.100.1')
  expect(later).toBeDefined()
  later?.()
})
