/** Compares errors of a server under stress with the OpenAPI document: rate limits, outages, malformed requests. */

import { openApiDocument } from '@/lib/http/openapi/document'
import { answerError } from '@/lib/http/respond'
import { faultsOf } from '@/testing/openapi'
import { expect, expectError, makeApi, test } from './support/api'
import { serve, stop } from './support/processes'
import { sendRaw } from './support/raw'

const PATHS = Object.entries(openApiDocument().paths)
  .flatMap(([path, item]) => Object.keys(item).map((method) => ({ method: method.toUpperCase(), url: path.replace('{qrCode}', 'x') })))
  .filter(({ url }) => url.startsWith('/v1/') && url !== '/v1/openapi.json')

test('exceeding the rate limit responds as documented', async () => {
  const server = await serve({
    DATABASE_URL: process.env.TEST_DATABASE_URL,
    DATA_DIR: process.env.TEST_DATA_DIR,
    RATE_LIMIT_PER_MINUTE: '1',
  })
  try {
    const api = await makeApi(server.url)
    await api.call('/v1/coupons')
    for (const { method, url } of PATHS) {
      const answer = await api.call(url, { method })
      expectError(answer, 429, 'rate_limited')
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    }
  } finally {
    await stop(server)
  }
})

test('an outage responds as documented, and so do the health checks', async ({ api }) => {
  const server = await serve({ DATABASE_URL: 'postgres://x@127.0.0.1:9/x', DATA_DIR: process.env.TEST_DATA_DIR, LOG_LEVEL: 'silent' })
  try {
    const away = await makeApi(server.url)
    for (const { method, url } of PATHS) expectError(await away.call(url, { method, key: api.key }), 503, 'unavailable')
    expect((await away.call('/healthz')).status).toBe(200)
    expect((await away.call('/readyz')).status).toBe(503)
  } finally {
    await stop(server)
  }
})

test('oversized headers and an undecodable path respond as documented', async ({ api }) => {
  const key = `Host: x\r\nAuthorization: Bearer ${api.key}\r\n`
  for (const { method, url } of PATHS) {
    const raw = await sendRaw(api.url, [`${method} ${url} HTTP/1.1\r\n${key}X-Long: ${'a'.repeat(17_000)}\r\n\r\n`])
    expect(raw.status).toBe(431)
    expect(faultsOf({ method, url, status: raw.status, headers: new Headers(raw.headers), text: raw.body })).toEqual([])
  }
  const raw = await sendRaw(api.url, [`POST /v1/tickets/validate/%zz HTTP/1.1\r\n${key}\r\n`])
  expect(raw.status).toBe(400)
  const url = '/v1/tickets/validate/x'
  expect(faultsOf({ method: 'POST', url, status: 400, headers: new Headers(raw.headers), text: raw.body })).toEqual([])
})

test('an internal error responds as documented, without its cause', async () => {
  for (const { method, url } of PATHS) {
    const response = answerError(new Error('the secret cause'), 'req_0')
    const received = { method, url, status: response.status, headers: response.headers, text: await response.text() }
    expect(faultsOf(received)).toEqual([])
    expect(received.text).not.toContain('cause')
  }
})
