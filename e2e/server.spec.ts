/** Tests requests that `server.ts` handles differently than Next.js would: malformed, oversized and unusual ones, and unknown paths. */
import { minimal } from '@/testing/seller'
import { expect, expectError, test } from './support/api'
import { type RawResponse, sendRaw } from './support/raw'

function expectRaw({ status, headers, body }: RawResponse, expectedStatus: number, code: string): void {
  const json = JSON.parse(body) as Record<string, string>
  expect([status, json.code]).toEqual([expectedStatus, code])
  expect(headers['content-type']).toBe('application/json; charset=utf-8')
  expect(headers['cache-control']).toBe('no-store')
  expect(headers['request-id']).toBe(json.requestId)
  expect(headers['x-content-type-options']).toBe('nosniff')
}

test('an undecodable API path gets a 400 with a valid key and a 401 without one, and any other undecodable path gets a 400', async ({
  api,
}) => {
  for (const path of ['/v1/%', '/v1/%zz', '/v1/tickets/validate/%E0%A4', '/api/v1/coupons/%C3', '/v1/tickets/validate/%ED%A0%80']) {
    const raw = await sendRaw(api.url, [`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.key}\r\n\r\n`])
    expectRaw(raw, 400, 'path_invalid')
    expectRaw(await sendRaw(api.url, [`POST ${path} HTTP/1.1\r\nHost: x\r\n\r\n`]), 401, 'key_missing')
  }
  expectRaw(await sendRaw(api.url, ['GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n']), 400, 'path_invalid')
})

test('a query that cannot be decoded gets a 400 instead of an unfiltered list', async ({ api }) => {
  for (const bad of ['%FF', '%ED%A0%80', '%', 'a%2']) {
    expectError(await api.call(`/v1/coupons?search=${bad}`), 400, 'parameter_invalid', 'search')
  }
  // Next.js would ignore this parameter.
  expectError(await api.call('/v1/coupons?__proto__=1'), 400, 'parameter_unknown', '__proto__')
})

test('a method that Next.js does not support gets a 405 with the allowed methods', async ({ api }) => {
  for (const method of ['TRACE', 'PROPFIND', 'LOCK', 'REPORT', 'PURGE']) {
    const list = await sendRaw(api.url, [`${method} /v1/payments HTTP/1.1\r\nHost: x\r\n\r\n`])
    expectRaw(list, 405, 'method_not_allowed')
    expect(list.headers.allow).toBe('GET, HEAD, OPTIONS')
    const validate = await sendRaw(api.url, [`${method} /v1/tickets/validate/x HTTP/1.1\r\nHost: x\r\n\r\n`])
    expect(validate.headers.allow).toBe('POST, OPTIONS')
    expectRaw(await sendRaw(api.url, [`${method} / HTTP/1.1\r\nHost: x\r\n\r\n`]), 405, 'method_not_allowed')
  }
})

test('a path with consecutive slashes gets a 404 instead of a redirect', async ({ api }) => {
  for (const path of ['//v1/coupons', '/v1//coupons', '/v1/coupons//', '/api//v1/coupons', '///']) {
    const { status, headers } = await sendRaw(api.url, [`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.key}\r\n\r\n`])
    expect(status, path).toBe(404)
    if (path !== '///') expect(headers['content-type']).toContain('application/json')
  }
})

test('a path that only resembles an API route gets a 404', async ({ api }) => {
  for (const path of [
    '/V1/coupons',
    '/api/V1/coupons',
    '/API/v1/coupons',
    '/foo/../v1/coupons',
    '/./v1/coupons',
    '/v1%2Fcoupons',
    '/%61pi/v1/coupons',
  ]) {
    const { status, headers, body } = await sendRaw(api.url, [
      `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.key}\r\n\r\n`,
    ])
    expect([path, status, headers['content-type']]).toEqual([path, 404, 'application/json; charset=utf-8'])
    expect(body).toContain('route_not_found')
  }
})

test('an unknown path under /api gets a JSON 404, but next-auth’s paths work', async ({ api }) => {
  for (const path of ['/api/v2/payments', '/api', '/api/nothing', '/API/v2', '/api//auth/session', '/api/auth/../v2']) {
    const raw = await sendRaw(api.url, [`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.key}\r\n\r\n`])
    expectRaw(raw, 404, 'route_not_found')
  }
  expect((await fetch(`${api.url}/api/auth/csrf`)).status).toBe(200)
})

test('a request with an Upgrade header is handled as plain HTTP, even after a page has been requested', async ({ api }) => {
  expect((await fetch(`${api.url}/sign-in`)).status).toBe(200)
  for (const upgrade of ['h2c', 'websocket']) {
    const { status, body } = await sendRaw(api.url, [
      `GET /v1/coupons HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.key}\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: ${upgrade}\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n`,
    ])
    expect([status, body]).toEqual([200, '{"has_more":false,"total":0,"data":[]}'])
  }
})

test('a request without a Host or with an unknown Expect is accepted; an unknown method and an invalid Host get a JSON error', async ({
  api,
}) => {
  const key = `Authorization: Bearer ${api.key}\r\n`
  expect((await sendRaw(api.url, [`GET /v1/coupons HTTP/1.1\r\n${key}\r\n`])).status).toBe(200)
  expect((await sendRaw(api.url, [`GET /v1/coupons HTTP/1.1\r\nHost: x\r\nExpect: foo\r\n${key}\r\n`])).status).toBe(200)
  expectRaw(await sendRaw(api.url, ['FOO /v1/coupons HTTP/1.1\r\nHost: x\r\n\r\n']), 405, 'method_not_allowed')
  expectRaw(await sendRaw(api.url, ['CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n']), 405, 'method_not_allowed')
  expectRaw(await sendRaw(api.url, [`GET /v1/coupons HTTP/1.1\r\nHost: a b\r\n${key}\r\n`]), 400, 'path_invalid')
})

test('a request gets its response even if invalid bytes follow it, and the connection is closed', async ({ api }) => {
  await api.load('tickets', [minimal('tickets', { qrCode: 'followed' })])
  const head = `POST /v1/tickets/validate/followed HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.key}\r\nContent-Type: application/json\r\n`
  const { status, headers, body } = await sendRaw(api.url, [`${head}Content-Length: 2\r\n\r\n{}\0`])
  expect([status, headers.connection, JSON.parse(body).success]).toEqual([200, 'close', true])
  expectRaw(await sendRaw(api.url, ['\0']), 400, 'path_invalid')
})

test('a header is read even after 1,900 others', async ({ api }) => {
  const headers = Array.from({ length: 1_900 }, (_, index) => `h${index}:\r\n`).join('')
  const { status } = await sendRaw(api.url, [`GET /v1/coupons HTTP/1.1\r\n${headers}Authorization: Bearer ${api.key}\r\n\r\n`])
  expect(status).toBe(200)
})

test('a request target that is an absolute URL is routed by its path', async ({ api }) => {
  const { status } = await sendRaw(api.url, [
    `GET http://desk.example/v1/coupons HTTP/1.1\r\nHost: desk.example\r\nAuthorization: Bearer ${api.key}\r\n\r\n`,
  ])
  expect(status).toBe(200)
})

test('a request with more than 16 KiB of headers gets a JSON error', async ({ api }) => {
  expectRaw(
    await sendRaw(api.url, [`GET /v1/coupons HTTP/1.1\r\nHost: x\r\nX-Long: ${'a'.repeat(17_000)}\r\n\r\n`]),
    431,
    'headers_too_large',
  )
})

test('malformed HTTP gets a JSON error, and the connection is closed', async ({ api }) => {
  for (const bytes of [
    'GET /v1/coupons HTTP/9.9\r\n\r\n',
    'GET /v1/coupons HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
    'GET /v1/coupons HTTP/1.1\r\nBad Header: x\r\n\r\n',
  ]) {
    const raw = await sendRaw(api.url, [bytes])
    expectRaw(raw, 400, 'path_invalid')
    expect(raw.headers.connection).toBe('close')
  }
})

test('a body over 64 KiB is rejected before it has been fully sent, with or without a Content-Length', async ({ api }) => {
  await api.load('tickets', [minimal('tickets', { qrCode: 'big' })])
  const head = `POST /v1/tickets/validate/big HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.key}\r\nContent-Type: application/json\r\n`
  expectRaw(await sendRaw(api.url, [`${head}Content-Length: 70000\r\n\r\n`]), 413, 'body_too_large')
  const chunk = `8000\r\n${' '.repeat(0x8000)}\r\n`
  expectRaw(await sendRaw(api.url, [`${head}Transfer-Encoding: chunked\r\n\r\n`, chunk, chunk, chunk]), 413, 'body_too_large')
  expect((await api.validate('big')).json.success).toBe(true)
})

test('a body over 16 KiB for a page, check-in or next-auth is rejected before it has been fully sent, if there is no session', async ({
  api,
}) => {
  const chunk = `8000\r\n${' '.repeat(0x8000)}\r\n`
  const form = 'multipart/form-data; boundary=x'
  for (const [path, type] of [
    ['/', form],
    ['/sign-in', form],
    ['/invite/x', form],
    ['/door/scan', 'application/json'],
    ['/no-such-page', 'application/json'],
    ['/api/auth/callback/credentials', form],
    ['/api/auth/signout', form],
  ]) {
    const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\n`
    expectRaw(await sendRaw(api.url, [`${head}Content-Length: 70000\r\n\r\n`]), 413, 'body_too_large')
    expectRaw(await sendRaw(api.url, [`${head}Transfer-Encoding: chunked\r\n\r\n`, chunk, chunk, chunk]), 413, 'body_too_large')
  }
  const head = `POST /sign-in HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: ${16 * 1024}\r\n\r\n`
  expect((await sendRaw(api.url, [head, ' '.repeat(16 * 1024)])).status).toBe(200)
})

test('only the next-auth routes for signing in and out exist', async ({ api }) => {
  const send = (method: string, path: string) => sendRaw(api.url, [`${method} /api/auth/${path} HTTP/1.1\r\nHost: x\r\n\r\n`])
  for (const path of ['csrf', 'providers', 'session', 'csrf/']) expect((await send('GET', path)).status, path).toBe(200)
  expect((await send('GET', 'signin')).headers.location).toContain('/sign-in')
  for (const path of [
    'error',
    'error?error=a%0d%0aX:%20y',
    '_log',
    '_log/',
    '%5flog',
    'verify-request',
    'signin/credentials',
    'callback/x',
    'callback/credentials/x',
    'constructor',
  ]) {
    for (const method of ['GET', 'POST']) expectRaw(await send(method, path), 404, 'route_not_found')
  }
  for (const [method, path, allow] of [
    ['GET', 'callback/credentials', 'POST'],
    ['GET', 'signout', 'POST'],
    ['POST', 'session', 'GET'],
  ] as const) {
    const rejected = await send(method, path)
    expectRaw(rejected, 405, 'method_not_allowed')
    expect(rejected.headers.allow).toBe(allow)
  }
})

test('paths with dot segments and the path of the image optimizer get a 404', async ({ api }) => {
  for (const path of ['/_next/static/../../overview', '/_next/static/%2e%2e/%2e%2e/overview', '/_next/image?url=/icon.svg&w=640&q=75']) {
    expectRaw(await sendRaw(api.url, [`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`]), 404, 'route_not_found')
  }
})

test('an invalid Host gets a 400 on pages, next-auth’s routes and the API', async ({ api }) => {
  for (const path of ['/', '/sign-in', '/overview', '/no-such-page', '/api/auth/csrf', '/v1/coupons']) {
    for (const host of ['a b', 'x:99999', '[::g]', '256.1.1.1', 'x/y', 'user@x', 'x\r\nHost: y']) {
      const cookie = 'Cookie: next-auth.session-token=x'
      expectRaw(await sendRaw(api.url, [`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${cookie}\r\n\r\n`]), 400, 'path_invalid')
    }
  }
})

test('a response to HEAD has the Content-Length of the response to GET', async ({ api }) => {
  await api.load('coupons', [minimal('coupons', { label: 'ü' })])
  const [get, head] = [await api.call('/v1/coupons'), await api.call('/v1/coupons', { method: 'HEAD' })]
  expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(get.text)))
})
