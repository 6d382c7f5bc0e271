/** Tests aspects that all operations share: paths, methods, headers and keys. */
import { createKey, revokeKey } from '@/lib/accounts/api-keys'
import { minimal } from '@/testing/seller'
import { type ApiResponse, type CallOptions, expect, expectError, expectHeaders, test, untilRevoked } from '../support/api'

const LISTS = ['subscriptions', 'coupons', 'payments', 'bookings', 'customers']

test('a list returns the same body at each of its four paths, and a ticket can be validated at four paths, without redirects', async ({
  api,
}) => {
  for (const list of LISTS) {
    await api.load(list as 'payments', [minimal(list as 'payments')])
    const texts = await Promise.all(
      [`/v1/${list}`, `/v1/${list}/`, `/api/v1/${list}`, `/api/v1/${list}/`].map((path) => api.call(`${path}?limit=5`)),
    )
    for (const { status, text } of texts) expect([status, text]).toEqual([200, texts[0]?.text])
  }
  const line = minimal('tickets', { qrCode: 'a/b %&?#ü+' })
  await api.load('tickets', [line])
  const code = encodeURIComponent(String(line.qrCode))
  for (const path of [
    `/v1/tickets/validate/${code}`,
    `/v1/tickets/validate/${code}/`,
    `/api/v1/tickets/validate/${code}`,
    `/api/v1/tickets/validate/${code}/`,
  ]) {
    expect((await api.call(path, { method: 'POST' })).json.ticket).toMatchObject({ id: line.id })
  }
})

test('a response to HEAD has the headers of the response to GET, and no body', async ({ api }) => {
  await api.load('coupons', [minimal('coupons', { label: 'ü' })])
  const head = await api.call('/v1/coupons', { method: 'HEAD' })
  expect(head.status).toBe(200)
  // Exclude headers that depend on the connection or differ between responses.
  const comparableHeaders = ({ headers }: ApiResponse) =>
    [...headers].filter(([name]) => !/^(connection|keep-alive|date|request-id|ratelimit.*)$/.test(name))
  expect(comparableHeaders(head)).toEqual(comparableHeaders(await api.call('/v1/coupons')))
  expect(head.text).toBe('')
  expectHeaders(head)
  expect((await api.call('/v1/coupons', { method: 'HEAD', key: null })).status).toBe(401)
  expect((await api.call('/v1/coupons?limit=0', { method: 'HEAD' })).status).toBe(400)
})

test('OPTIONS returns the allowed methods, and other methods are rejected with the same Allow header', async ({ api }) => {
  for (const [path, allow, otherMethods] of [
    ['/v1/payments', 'GET, HEAD, OPTIONS', ['POST', 'PUT', 'PATCH', 'DELETE']],
    ['/v1/tickets/validate/x', 'POST, OPTIONS', ['GET', 'PUT', 'PATCH', 'DELETE']],
  ] as const) {
    const options = await api.call(path, { method: 'OPTIONS', key: null })
    expect([options.status, options.text, options.headers.get('allow')]).toEqual([204, '', allow])
    for (const method of otherMethods) {
      const response = await api.call(path, { method })
      expectError(response, 405, 'method_not_allowed')
      expect(response.headers.get('allow')).toBe(allow)
    }
  }
  expect((await api.call('/v1/tickets/validate/x', { method: 'HEAD' })).status).toBe(405)
})

test('an unknown path gets a 404 with a valid key, and a 401 without one', async ({ api }) => {
  for (const path of [
    '/v1',
    '/v1/',
    '/api/v1',
    '/v1/nope',
    '/v1/payments/1/2',
    '/v1/tickets/a/b',
    '/v1/tickets/validate',
    '/v1/tickets/validate/',
    '/v1/tickets/validate/a/b',
    '/v1/Payments',
  ]) {
    expectError(await api.call(path), 404, 'route_not_found')
    expectError(await api.call(path, { method: 'POST' }), 404, 'route_not_found')
    expectError(await api.call(path, { key: null }), 401, 'key_missing', 'Authorization')
  }
})

test('a key is accepted only in the Authorization header, and every invalid key gets the same response', async ({ api }) => {
  const missing: [string, CallOptions][] = [
    ['/v1/payments', { key: null }],
    [`/v1/payments?api_key=${api.key}`, { key: null }],
    [`/v1/payments?Authorization=Bearer%20${api.key}`, { key: null }],
    ['/v1/payments', { key: null, headers: { Authorization: `Basic ${api.key}` } }],
    ['/v1/payments', { key: null, headers: { Authorization: 'Bearer' } }],
    ['/v1/payments', { key: null, headers: { 'X-Api-Key': api.key } }],
    ['/v1/payments', { key: null, headers: { Cookie: `key=${api.key}` } }],
  ]
  for (const [path, call] of missing) {
    const response = await api.call(path, call)
    expectError(response, 401, 'key_missing', 'Authorization')
    expect(response.headers.get('www-authenticate')).toBe('Bearer')
  }
  const expired = await createKey({ sellerId: api.seller, name: 'x', scopes: ['full'], expiresAt: new Date(Date.now() - 1) })
  const revoked = await createKey({ sellerId: api.seller, name: 'x', scopes: ['full'] })
  expect((await api.call('/v1/payments', { key: revoked.key })).status).toBe(200)
  await revokeKey(api.seller, revoked.id)
  await untilRevoked()
  const unknown = 'desk_000000000000000000000000000000'
  const texts = []
  for (const key of [expired.key, revoked.key, `${api.key.slice(0, -1)}${api.key.endsWith('a') ? 'b' : 'a'}`, unknown, 'x']) {
    const response = await api.call('/v1/payments', { key })
    expectError(response, 401, 'key_invalid', 'Authorization')
    expect(response.headers.get('www-authenticate')).toBe('Bearer')
    texts.push(response.text.replace(String(response.json.requestId), ''))
  }
  expect(new Set(texts).size).toBe(1)
  expect((await api.call('/v1/payments', { key: null, headers: { Authorization: `bearer ${api.key}` } })).status).toBe(200)
})

test('the key is checked first, then the scope, and then the rest of the request', async ({ api }) => {
  expectError(await api.call('/v1/payments?limit=0', { key: null }), 401, 'key_missing', 'Authorization')
  expectError(await api.call('/v1/payments?limit=0', { key: await api.keyWith('coupons:read') }), 403, 'scope_missing')
  expectError(await api.call('/v1/payments?limit=0'), 400, 'parameter_invalid', 'limit')
  const large = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: ' '.repeat(70_000) }
  expectError(await api.call('/v1/tickets/validate/nobody', { ...large, key: null }), 401, 'key_missing', 'Authorization')
  expectError(await api.call('/v1/tickets/validate/nobody', large), 413, 'body_too_large')
  expectError(await api.call('/v1/tickets/validate/nobody', { method: 'POST', body: '{' }), 415, 'media_type_unsupported', 'Content-Type')
})

test('a GET is accepted regardless of its Content-Type', async ({ api }) => {
  for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'nonsense']) {
    expect((await api.call('/v1/coupons', { headers: { 'Content-Type': type } })).status).toBe(200)
  }
})

test('responses have RateLimit headers and no CORS headers', async ({ api }) => {
  const { headers } = await api.call('/v1/coupons', { headers: { Origin: 'https://evil.example' } })
  expect(headers.get('ratelimit-limit')).toBe('1000000')
  expect(Number(headers.get('ratelimit-remaining'))).toBeLessThan(1_000_000)
  expect(Number(headers.get('ratelimit-reset'))).toBeLessThanOrEqual(60)
  expect(headers.get('access-control-allow-origin')).toBeNull()
})

test('the health and readiness checks do not require a key', async ({ api }) => {
  expect((await api.call('/healthz', { key: null })).json).toEqual({ status: 'ok' })
  expect((await api.call('/readyz', { key: null })).json).toEqual({ status: 'ready' })
})
