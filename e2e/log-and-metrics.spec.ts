/** Tests the log and metrics: one JSON line per request, no request content in the log, and metrics only with the token. */
import { readFile, rm } from 'node:fs/promises'
import { database as getDatabase, openDatabase, setDatabase } from '@/db/client'
import { createDatabase, makeTemporaryFolder } from '@/testing/postgres'
import { importLines, makeKey, makeSeller, minimal, openTestDatabase } from '@/testing/seller'
import { makeUser } from '@/testing/users'
import { closeReceivers, startReceiver } from '@/testing/webhooks'
import { expect, test } from './support/api'
import { sessionCookie } from './support/dashboard'
import { serve, serveApi, stop } from './support/processes'

/** Creates a seller in another database. @returns an API key of the seller */
async function createShopKey(url: string): Promise<string> {
  openTestDatabase()
  const before = getDatabase()
  const pool = openDatabase({ url, max: 2, statementMs: 60_000 })
  setDatabase(pool)
  const { key } = await makeKey(await makeSeller())
  setDatabase(before)
  await pool.close()
  return key
}

const databaseEnv = () => ({ DATABASE_URL: String(process.env.TEST_DATABASE_URL), DATA_DIR: String(process.env.TEST_DATA_DIR) })
const TOKEN = 'a-token-that-only-this-test-uses'

type Line = Record<string, unknown>

test('each request is one log line of JSON with its IDs and duration, and metrics require the token and count requests, connections and admissions', async () => {
  const server = await serve({ ...databaseEnv(), LOG_LEVEL: 'info', METRICS_TOKEN: TOKEN })
  const seller = await makeSeller()
  const { id, key } = await makeKey(seller)
  const headers = { Authorization: `Bearer ${key}` }
  const responses = [
    await fetch(`${server.url}/v1/payments?search=somebody`, { headers }),
    await fetch(`${server.url}/api/v1/tickets/validate/secret-code`, { method: 'POST', headers }),
    await fetch(`${server.url}/v1/no-such-path`, { headers: {} }),
  ]
  await fetch(`${server.url}/payments/secret-id?search=somebody`, { redirect: 'manual' })
  const listRequestLines = () =>
    server
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Line)
      .filter(({ msg }) => msg === 'request')
  // Requests are logged after the response has been sent.
  await expect.poll(() => listRequestLines().length).toBeGreaterThanOrEqual(4)
  const lines = listRequestLines()
  const ids = responses.map((response) => response.headers.get('request-id'))
  expect(lines.map(({ method, route, status, seller, key, requestId }) => ({ method, route, status, seller, key, requestId }))).toEqual([
    { method: 'GET', route: '/v1/payments', status: 200, seller, key: id, requestId: ids[0] },
    { method: 'POST', route: '/v1/tickets/validate/:qrCode', status: 404, seller, key: id, requestId: ids[1] },
    { method: 'GET', route: '/v1/*', status: 401, requestId: ids[2] },
    { method: 'GET', route: '/payments/*', status: 307 },
  ])
  for (const { ms, level, time } of lines) for (const number of [ms, level, time]) expect(number).toBeGreaterThan(0)
  expect(server.output()).not.toMatch(/secret|somebody/)
  // next-auth does not log a warning.
  await fetch(`${server.url}/api/auth/csrf`)
  await expect.poll(() => listRequestLines().length).toBe(5)
  expect(server.output()).not.toContain('Warning')

  await importLines('tickets', seller, [minimal('tickets', { qrCode: 'guest' })])
  for (const code of ['guest', 'guest', 'nobody']) {
    await fetch(`${server.url}/v1/tickets/validate/${code}`, { method: 'POST', headers })
  }
  for (const authorization of [undefined, 'Bearer x', `Basic ${TOKEN}`, `Bearer ${TOKEN}x`, headers.Authorization]) {
    const rejected = await fetch(`${server.url}/metrics`, { headers: authorization ? { Authorization: authorization } : {} })
    expect([authorization, rejected.status]).toEqual([authorization, 401])
    expect(rejected.headers.get('www-authenticate')).toBe('Bearer')
  }
  const response = await fetch(`${server.url}/metrics`, { headers: { Authorization: `Bearer ${TOKEN}` } })
  expect(response.headers.get('content-type')).toContain('text/plain')
  const text = await response.text()
  for (const line of [
    'desk_requests_total{route="/v1/tickets/validate/:qrCode",method="POST",status="200"} 2',
    'desk_requests_total{route="/v1/tickets/validate/:qrCode",method="POST",status="404"} 2',
    'desk_requests_total{route="/metrics",method="GET",status="401"} 5',
    'desk_request_duration_seconds_count{route="/v1/tickets/validate/:qrCode"} 4',
    'desk_admissions_total{outcome="admitted"} 1',
    'desk_admissions_total{outcome="already_checked_in"} 1',
    'desk_admissions_total{outcome="unknown"} 2',
    'desk_pool_in_use{pool="doors"} 0',
    'desk_pool_waiting{pool="general"} 0',
    'desk_pool_refused_total{pool="general"} 0',
    'desk_throttle_active{throttle="lists"} 0',
    'desk_throttle_waiting{throttle="tickets"} 0',
    'desk_throttle_refused_total{throttle="stripe_events"} 0',
    'desk_throttle_refused_total{throttle="sign_ins"} 0',
    'desk_throttle_refused_total{throttle="exports"} 0',
  ])
    expect(text.split('\n')).toContain(line)
  expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds /m)

  // next-auth and Next.js print several lines for each of these requests.
  const csrf = await fetch(`${server.url}/api/auth/csrf`)
  const { csrfToken } = (await csrf.json()) as { csrfToken: string }
  const cookie = [...csrf.headers.getSetCookie().map((line) => line.replace(/;.*/, '')), 'next-auth.session-token=not-a-token'].join('; ')
  await fetch(`${server.url}/api/auth/signout`, {
    method: 'POST',
    headers: { cookie },
    body: new URLSearchParams({ csrfToken, json: 'true' }),
  })
  await fetch(`${server.url}/sign-in`, { method: 'POST', headers: { 'next-action': 'f'.repeat(42) }, body: '[]' })
  await stop(server)
  const logged = server.output().trim().split('\n')
  for (const line of logged) expect(JSON.parse(line), line).toMatchObject({ level: expect.any(Number), msg: expect.any(String) })
  for (const part of ['Checkout Desk is running at', 'SIGNOUT_ERROR', 'Failed to find Server Action', 'Stopped.'])
    expect(logged.filter((line) => line.includes(part)).length, part).toBe(1)
})

test('signing out behind a TLS-terminating proxy logs no error', async () => {
  const server = await serve(databaseEnv())
  const email = `owner-${Date.now()}@example.com`
  await makeUser(await makeSeller(), email, 'owner')
  const { name, value } = await sessionCookie(email)
  const manifest = JSON.parse(await readFile('.next/server/server-reference-manifest.json', 'utf8'))
  const actions = Object.entries(manifest.node as Record<string, { exportedName: string }>)
  const [action = ''] = actions.find(([, { exportedName }]) => exportedName === 'signOut') ?? []
  const response = await fetch(`${server.url}/settings/password`, {
    method: 'POST',
    headers: {
      cookie: `${name}=${value}`,
      'next-action': action,
      'content-type': 'text/plain',
      'sec-fetch-site': 'same-origin',
      'x-forwarded-proto': 'https',
    },
    body: '[]',
  })
  expect(response.headers.get('x-action-redirect')).toBe('/sign-in;push')
  await response.text()
  await stop(server)
  expect(server.output()).not.toMatch(/"level":50|HPE_INVALID_METHOD/)
})

test('a server that may send webhooks to private addresses logs a warning and counts delivery attempts and delays', async () => {
  // Use a separate database, because other servers on the same one would send some of the deliveries.
  const separate = await createDatabase(String(process.env.TEST_OWNER_URL))
  const settings = { METRICS_TOKEN: TOKEN, WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true', DATA_DIR: await makeTemporaryFolder() }
  const server = await serveApi({ ...settings, DATABASE_URL: separate.url })
  await server.waitForOutput(/WEBHOOK_ALLOW_PRIVATE_ADDRESSES is true/)
  const key = await createShopKey(separate.url)
  const post = async (path: string, body?: object) => {
    const headers = { Authorization: `Bearer ${key}`, ...(body && { 'Content-Type': 'application/json' }) }
    const response = await fetch(`${server.url}${path}`, { method: 'POST', headers, ...(body && { body: JSON.stringify(body) }) })
    return ((await response.json()) as { data: Line }).data
  }
  const [healthy, failing] = [await startReceiver(), await startReceiver((_, outgoing) => outgoing.writeHead(500).end())]
  for (const { url } of [healthy, failing]) {
    const endpoint = await post('/v1/webhook_endpoints', { url, events: ['payment.paid'] })
    expect(endpoint).toMatchObject({ url })
    await post(`/v1/webhook_endpoints/${endpoint.id}/test`)
  }
  const read = async () => (await fetch(`${server.url}/metrics`, { headers: { Authorization: `Bearer ${TOKEN}` } })).text()
  for (const line of [
    /^desk_webhook_attempts_total\{result="succeeded"\} 1$/m,
    /^desk_webhook_attempts_total\{result="failed"\} [1-9]$/m,
    /^desk_webhook_delay_seconds_count 1$/m,
  ])
    await expect.poll(read).toMatch(line)
  expect(healthy.received).toHaveLength(1)
  closeReceivers()
  await stop(server)
  await separate.drop()
  await rm(settings.DATA_DIR, { recursive: true })
})

test('/metrics returns a 404 if METRICS_TOKEN is not set', async ({ api }) => {
  const response = await api.call('/metrics')
  expect([response.status, response.json.code]).toEqual([404, 'route_not_found'])
})
