/** Compares error responses with the OpenAPI document: rate limits, outages, malformed requests and internal errors. */
import { encode } from 'next-auth/jwt'
import { openApiDocument } from '@/lib/http/openapi/document'
import { errorResponse } from '@/lib/http/respond'
import { findDifferences } from '@/testing/openapi'
import { expect, expectError, makeApi, test } from './support/api'
import { serve, serveApi, stop } from './support/processes'
import { sendRaw } from './support/raw'

/** A request for each operation under `/v1` except the OpenAPI document. */
const OPERATIONS = Object.entries(openApiDocument().paths)
  .flatMap(([path, item]) => Object.keys(item).map((method) => ({ method: method.toUpperCase(), url: path.replace(/\{\w+\}/, 'x') })))
  .filter(({ url }) => url.startsWith('/v1/') && url !== '/v1/openapi.json')

test('requests are limited per key, and those over the limit get the documented 429 with Retry-After', async () => {
  const server = await serveApi({ RATE_LIMIT_PER_MINUTE: '3' })
  try {
    const api = await makeApi(server.url)
    const remaining = []
    for (const path of ['/v1/coupons', '/v1/coupons?limit=0', '/v1/nowhere'])
      remaining.push((await api.call(path)).headers.get('ratelimit-remaining'))
    expect(remaining).toEqual(['2', '1', '0'])
    for (const { method, url } of OPERATIONS) {
      const response = await api.call(url, { method })
      expectError(response, 429, 'rate_limited')
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(response.headers.get('ratelimit-limit')).toBe('3')
    }
    expect((await (await makeApi(server.url)).call('/v1/coupons')).status).toBe(200)
  } finally {
    await stop(server)
  }
})

test('during a database outage, the API and pages return a 503 with Retry-After, never an empty list or a ticket rejection', async ({
  api,
}) => {
  const server = await serve({ DATABASE_URL: 'postgres://x@127.0.0.1:9/x' })
  try {
    const offlineApi = await makeApi(server.url)
    for (const { method, url } of OPERATIONS) {
      const response = await offlineApi.call(url, { method, key: api.key })
      expectError(response, 503, 'unavailable')
      expect(response.headers.get('retry-after')).toBe('1')
    }
    // A malformed key is rejected without a database query.
    expectError(await offlineApi.call('/v1/payments', { key: 'desk_x' }), 401, 'key_invalid', 'Authorization')
    const session = await encode({ token: { sessionId: 'x' }, secret: String(process.env.TEST_SESSION_SECRET) })
    for (const path of ['/overview', '/payments?search=x', '/find?q=abc', '/door']) {
      const page = await fetch(`${server.url}${path}`, { headers: { cookie: `next-auth.session-token=${session}` } })
      expect([path, page.status, page.headers.get('retry-after')]).toEqual([path, 503, '1'])
    }
    // The server logs the reason, unlike Next.js.
    expect(server.output()).toMatch(/"route":"\/overview","reason":"connection_refused".*"msg":"unavailable"/)
    expect(server.output()).not.toContain(api.key)
    expect((await offlineApi.call('/healthz')).status).toBe(200)
    expect((await offlineApi.call('/readyz')).status).toBe(503)
  } finally {
    await stop(server)
  }
})

test('requests with oversized headers or an undecodable path get the documented responses', async ({ api }) => {
  const headers = `Host: x\r\nAuthorization: Bearer ${api.key}\r\n`
  for (const { method, url } of OPERATIONS) {
    const raw = await sendRaw(api.url, [`${method} ${url} HTTP/1.1\r\n${headers}X-Long: ${'a'.repeat(17_000)}\r\n\r\n`])
    expect(raw.status).toBe(431)
    expect(findDifferences({ method, url, status: raw.status, headers: new Headers(raw.headers), text: raw.body })).toEqual([])
  }
  const undecodable = await sendRaw(api.url, [`POST /v1/tickets/validate/%zz HTTP/1.1\r\n${headers}\r\n`])
  expect(undecodable.status).toBe(400)
  const url = '/v1/tickets/validate/x'
  expect(findDifferences({ method: 'POST', url, status: 400, headers: new Headers(undecodable.headers), text: undecodable.body })).toEqual(
    [],
  )
})

test('an internal error gets the documented response, without the cause', async () => {
  for (const { method, url } of OPERATIONS) {
    const response = errorResponse(new Error('the secret cause'), 'req_0')
    const received = { method, url, status: response.status, headers: response.headers, text: await response.text() }
    expect(findDifferences(received)).toEqual([])
    expect(received.text).not.toContain('cause')
  }
})
