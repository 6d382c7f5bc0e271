/** Requests that must not reach Next are rejected, however their path is written, and so are malformed requests. */
import { once } from 'node:events'
import { createServer, IncomingMessage, type RequestListener, type ServerOptions } from 'node:http'
import { type AddressInfo, connect, Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { expect, it, onTestFinished, vi } from 'vitest'
import { log } from '../core/log'
import { metrics } from '../core/metrics'
import { trackResponse } from './connections'
import { writeReply } from './exchange'
import { findPageError, respondToConnect, respondToParserError } from './refuse-request'
import { createObserver } from './request-log'

const getRefusal = (path: string, hosts = ['desk.example.com']) => {
  const rawHeaders = hosts.flatMap((host) => ['Host', host])
  const headers = { host: hosts[0] }
  return findPageError(Object.assign(new IncomingMessage(new Socket()), { method: 'GET', url: path, headers, rawHeaders }))?.code
}

it.each([
  '/_next/static/../../overview',
  '/_next/static/%2e%2E/%2e%2e/overview',
  '/_next/static/.%2e/image',
  '/_next/static/x%2f..%2foverview',
  '/_next/static/..%5coverview',
  '/_next/static/%252e%252e/overview',
  '/_next/static/..\\overview',
  '/./overview',
  '/overview/..',
])('rejects the dot segments in %s', (path) => {
  expect(getRefusal(path)).toBe('route_not_found')
})

it.each(['/_next/image?url=/icon.svg&w=640&q=75', '/_next/image/', '/_next/%69mage?url=x', '/_next/image'])(
  'rejects %s, because no page uses the image optimizer',
  (path) => {
    expect(getRefusal(path)).toBe('route_not_found')
  },
)

it.each(['error', 'error?error=a%0d%0aX:%20y', 'verify-request'])('rejects /api/auth/%s, which sign-in does not use', (name) => {
  expect(getRefusal(`/api/auth/${name}`)).toBe('route_not_found')
})

it.each([
  '/',
  '/overview',
  '/icon.svg',
  '/_next/static/chunks/a..b~c.js',
  '/_next/static/.well',
  '/customers/a.b@example.com',
  '/api/auth/csrf',
])('accepts %s', (path) => {
  expect(getRefusal(path)).toBeUndefined()
})

it('rejects a repeated Host header, and accepts one or none', () => {
  expect(getRefusal('/overview', ['desk.example.com', 'evil.example'])).toBe('path_invalid')
  expect(getRefusal('/overview', ['desk.example.com', 'desk.example.com'])).toBe('path_invalid')
  expect(getRefusal('/overview', ['desk.example.com'])).toBeUndefined()
  expect(getRefusal('/overview', [])).toBeUndefined()
})

it('rejects a Host header that is longer than a domain name with a port', () => {
  expect(getRefusal('/docs', [`${'a'.repeat(253)}:65535`])).toBeUndefined()
  expect(getRefusal('/docs', [`${'a'.repeat(254)}:65535`])).toBe('path_invalid')
})

/** Sends bytes to a server. @returns everything that the server sends until it closes the connection */
async function sendRaw(text: string, respond: RequestListener, options: ServerOptions = {}): Promise<string> {
  const observe = createObserver()
  const server = createServer(options, (request, response) => {
    observe(request, response)
    trackResponse(response)
    respond(request, response)
  })
  server.on('clientError', respondToParserError)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const client = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true })
  onTestFinished(() => {
    client.destroy()
    server.closeAllConnections()
    server.close()
  })
  let received = ''
  client.setEncoding('latin1').on('data', (piece: string) => {
    received += piece
  })
  client.write(text, 'latin1')
  // On a busy machine, the connection may be reset before the client has seen its end.
  await new Promise((resolve) => client.once('end', resolve).once('error', resolve))
  return received
}

it('closes the connection after a rejection, even if the client does not close it', async () => {
  const server = createServer()
  server.on('connect', respondToConnect)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const client = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true })
  onTestFinished(() => void client.destroy())
  client.resume().write('CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n')
  await once(client, 'end')
  await new Promise((resolve) => server.close(resolve))
})

it('closes the connection without an uncaught exception if the client resets it after a CONNECT', async () => {
  const uncaught = vi.fn()
  process.on('uncaughtException', uncaught)
  const server = createServer().on('connect', respondToConnect)
  onTestFinished(() => {
    process.off('uncaughtException', uncaught)
    server.close()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const connected = once(server, 'connect') as Promise<[IncomingMessage, Socket]>
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {})
  client.write('CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n')
  const [, socket] = await connected
  client.resetAndDestroy()
  await vi.waitFor(() => expect(socket.destroyed).toBe(true), 20_000)
  await setImmediate()
  expect(uncaught).not.toHaveBeenCalled()
})

const POST = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}'
const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'
const CHUNKED = 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n'

const respondLate: RequestListener = (request, response) => void setTimeout(() => response.end(`to ${request.method}`), 20)
const respondInParts: RequestListener = (request, response) => {
  response.write('to ')
  setTimeout(() => response.end(request.method), 20)
}

it.each([
  ['a body and a NUL', `${POST}\0`, 'to POST'],
  ['a body and a space', `${POST} `, 'to POST'],
  ['a body and a brace', `${POST}}`, 'to POST'],
  ['a request that closes the connection', `${POST.replace('Host', 'Connection: close\r\nHost')}}`, 'to POST'],
  ['two requests', `${POST}${GET}FOO / HTTP/1.1\r\n\r\n`, 'to POST.*to GET'],
  ['a request before one with a malformed body', `${GET}${CHUNKED}z`, 'to GET'],
])('sends the response to a request even if bytes that are not a request follow it: %s', async (_, text, responses) => {
  const received = await sendRaw(text, respondLate)
  expect(received).toMatch(new RegExp(`^HTTP/1.1 200 OK.*${responses}$`, 's'))
  expect(received.match(/^Connection: close/gm)).toHaveLength(1)
})

it('closes the connection after a response that began before malformed bytes arrived', async () => {
  expect(await sendRaw(`${GET}}`, respondInParts)).toMatch(/^HTTP\/1.1 200 OK.*to.*GET.*0\r\n\r\n$/s)
})

it.each([
  [405, 'an unknown method', 'FOO / HTTP/1.1\r\n\r\n'],
  [400, 'a NUL', '\0'],
  [400, 'a brace', '}'],
  [400, 'a TLS handshake', '\x16\x03\x01 \x01'],
  [400, 'a malformed chunk', `${CHUNKED}z`],
  [431, 'headers that are too large', `GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`],
])('responds with %i to %s', async (status, _, text) => {
  expect(await sendRaw(text, respondLate)).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
})

/** Runs `work`. @returns the log lines of its requests, once there are `count` lines, and by how much it increased the metric */
async function recordRequests(work: () => Promise<unknown>, count = 1) {
  const counter = metrics()?.requests
  const total = async () => (await counter?.get())?.values.reduce((sum, { value }) => sum + value, 0) ?? 0
  const before = await total()
  const logged = vi.spyOn(log(), 'info').mockReturnValue()
  try {
    await work()
    await vi.waitFor(() => expect(logged).toHaveBeenCalledTimes(count))
    return { lines: logged.mock.calls.map(([line]) => line as unknown), counted: (await total()) - before }
  } finally {
    logged.mockRestore()
  }
}

const SHORT = { headersTimeout: 100, requestTimeout: 100, connectionsCheckingInterval: 10 }

it.each([
  [405, 'HPE_INVALID_METHOD', 'FOO / HTTP/1.1\r\n\r\n'],
  [400, 'HPE_INVALID_METHOD', '}'],
  [431, 'HPE_HEADER_OVERFLOW', `GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`],
])('logs and counts a request that the parser rejects with %i and %s', async (status, code, text) => {
  let received = ''
  const { lines, counted } = await recordRequests(async () => {
    received = await sendRaw(text, respondLate)
  })
  const requestId = /^Request-Id: (.+)\r$/m.exec(received)?.[1]
  expect(lines).toEqual([{ method: 'other', route: 'other', status, requestId, code }])
  expect(counted).toBe(1)
})

it('logs and counts a request whose headers do not arrive in time as a 408', async () => {
  const { lines, counted } = await recordRequests(() => sendRaw('GET / HTTP/1.1\r\nHost: x\r\n', respondLate, SHORT))
  expect(lines).toEqual([{ method: 'other', route: 'other', status: 408, code: 'ERR_HTTP_REQUEST_TIMEOUT' }])
  expect(counted).toBe(1)
})

it.each([
  [400, 'is malformed', `${CHUNKED}z`],
  [408, 'does not arrive in time', CHUNKED],
])('logs and counts a request once, with the status %i, if its body %s', async (status, _, text) => {
  const { lines, counted } = await recordRequests(() => sendRaw(text, () => {}, SHORT))
  expect(lines).toMatchObject([{ method: 'POST', status }])
  expect(counted).toBe(1)
})

it('logs a request with a malformed body as rejected, with the ID in the 400 response, even if the handler ignores the body', async () => {
  let received = ''
  const { lines, counted } = await recordRequests(async () => {
    const respond: RequestListener = (request, response) => {
      void setImmediate().then(() => writeReply(request, response, { status: 200, headers: { 'Request-Id': 'req_1' }, body: 'late' }))
    }
    received = await sendRaw(`${CHUNKED}z`, respond, SHORT)
  })
  const requestId = /^Request-Id: (.+)\r$/m.exec(received)?.[1]
  expect(requestId).toMatch(/^req_\w{24}$/)
  expect(lines).toMatchObject([{ method: 'POST', status: 400, requestId }])
  expect(counted).toBe(1)
})

it('logs and counts a request with a malformed body that follows a request whose response is in progress', async () => {
  const { lines, counted } = await recordRequests(() => sendRaw(`${POST}${CHUNKED}z`, respondLate), 2)
  expect(lines).toMatchObject([
    { method: 'POST', status: 200 },
    { method: 'POST', status: 400, cut: true },
  ])
  expect(counted).toBe(2)
})

it('does not send the response to a request with a malformed body, even if it is complete before the previous response', async () => {
  let received = ''
  const { lines } = await recordRequests(async () => {
    received = await sendRaw(`${GET}${CHUNKED}z`, (request, response) => {
      if (request.method === 'GET') respondInParts(request, response)
      else void setImmediate().then(() => writeReply(request, response, { status: 401, headers: {}, body: 'refused' }))
    })
  }, 2)
  expect(received.match(/^HTTP.*(?=\r)/gm)).toEqual(['HTTP/1.1 200 OK'])
  expect(received).toMatch(/GET\r\n0\r\n\r\n$/)
  expect(lines).toMatchObject([
    { method: 'GET', status: 200 },
    { method: 'POST', status: 400, cut: true },
  ])
})

it('logs only the previous request if bytes that are not a request follow it', async () => {
  const { lines, counted } = await recordRequests(() => sendRaw(`${POST}}`, respondLate))
  expect(lines).toMatchObject([{ method: 'POST', status: 200 }])
  expect(counted).toBe(1)
})

it('neither logs nor counts a connection that sends nothing', async () => {
  const { lines, counted } = await recordRequests(async () => {
    await sendRaw('', respondLate, SHORT)
    log().info('closed')
  })
  expect(lines).toEqual(['closed'])
  expect(counted).toBe(0)
})
