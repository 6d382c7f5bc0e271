/** Tests the rate limits for keys, unknown codes and invalid keys, and that servers on one database can share their counts. */
import { importLines, makeKey, makeSeller, minimal } from '@/testing/seller'
import { expect, test } from './support/api'
import { serveApi, stop } from './support/processes'

const databaseEnv = () => ({ DATABASE_URL: String(process.env.TEST_DATABASE_URL), DATA_DIR: String(process.env.TEST_DATA_DIR) })

test('150 unknown codes exceed the limit for unknown codes, but the same key can still admit guests', async () => {
  const server = await serveApi(databaseEnv())
  const seller = await makeSeller()
  const { key } = await makeKey(seller)
  const guests = Array.from({ length: 30 }, (_, i) => `guest-${i}`)
  await importLines(
    'tickets',
    seller,
    guests.map((qrCode) => minimal('tickets', { qrCode })),
  )
  const scan = async (code: string) => {
    const response = await fetch(`${server.url}/v1/tickets/validate/${code}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}` },
    })
    return { status: response.status, headers: response.headers, json: (await response.json()) as Record<string, unknown> }
  }
  const guesses = []
  const admitted = []
  for (let round = 0; round < guests.length; round += 1) {
    guesses.push(...(await Promise.all(Array.from({ length: 5 }, (_, i) => scan(`guess-${round}-${i}`)))))
    admitted.push(await scan(guests[round] ?? ''))
  }
  expect(admitted.filter(({ status, json }) => status !== 200 || json.success !== true)).toEqual([])
  const statuses = guesses.map(({ status }) => status)
  // The limit for unknown codes is a tenth of the key's limit, which is 1,000.
  expect(statuses.filter((status) => status === 404)).toHaveLength(100)
  expect(statuses.filter((status) => status === 429)).toHaveLength(50)
  const [last] = guesses.slice(-1)
  expect(last?.json).toMatchObject({ code: 'rate_limited', param: 'qrCode' })
  expect(Number(last?.headers.get('retry-after'))).toBeGreaterThan(0)
  expect([last?.headers.get('ratelimit-limit'), last?.headers.get('ratelimit-remaining')]).toEqual(['100', '0'])
  // The unknown codes within the limit did not count toward the key's rate limit; those above it did.
  expect(Number((await scan(guests[0] ?? '')).headers.get('ratelimit-remaining'))).toBe(1_000 - 50 - guests.length - 1)
  // The seller's other keys are not limited.
  const { key: other } = await makeKey(seller)
  const unknown = await fetch(`${server.url}/v1/tickets/validate/guess`, { method: 'POST', headers: { Authorization: `Bearer ${other}` } })
  expect(unknown.status).toBe(404)
  await stop(server)
})

test('429s are delayed for a client that retries immediately after exceeding its limit', async () => {
  const server = await serveApi({ ...databaseEnv(), RATE_LIMIT_PER_MINUTE: '1' })
  const { key } = await makeKey(await makeSeller())
  const responses = await Promise.all(
    Array.from({ length: 100 }, async (_, i) => {
      const sentAt = performance.now()
      const { status } = await fetch(`${server.url}/v1/coupons`, {
        method: i % 2 ? 'HEAD' : 'GET',
        headers: { Authorization: `Bearer ${key}` },
      })
      return { status, isHead: i % 2 === 1, ms: performance.now() - sentAt }
    }),
  )
  expect(responses.filter(({ status }) => status === 429)).toHaveLength(99)
  for (const isHead of [true, false])
    expect(responses.filter((response) => response.isHead === isHead && response.ms > 900).length).toBeGreaterThan(0)
  await stop(server)
})

test('two servers on one database share a key’s limit with RATE_LIMIT_STORE=postgres', async () => {
  const env = { ...databaseEnv(), RATE_LIMIT_PER_MINUTE: '6', RATE_LIMIT_STORE: 'postgres' }
  const servers = await Promise.all([serveApi(env), serveApi(env)])
  const { key } = await makeKey(await makeSeller())
  const remaining = []
  for (let i = 0; i < 8; i += 1) {
    const response = await fetch(`${servers[i % 2]?.url}/v1/coupons`, { headers: { Authorization: `Bearer ${key}` } })
    remaining.push([response.status, response.headers.get('ratelimit-remaining')])
  }
  expect(remaining).toEqual([
    [200, '5'],
    [200, '4'],
    [200, '3'],
    [200, '2'],
    [200, '1'],
    [200, '0'],
    [429, '0'],
    [429, '0'],
  ])
  await Promise.all(servers.map((server) => stop(server)))
})

test('after 300 invalid keys from a network, further ones get a 429, but a valid key works on first use', async () => {
  const seller = await makeSeller()
  const { key } = await makeKey(seller)
  const server = await serveApi({ ...databaseEnv(), TRUST_PROXY: '1', METRICS_TOKEN: 'a'.repeat(32) })
  const send = async (bearer: string, address: string) => {
    const headers = { Authorization: `Bearer ${bearer}`, 'X-Forwarded-For': address }
    const response = await fetch(`${server.url}/v1/coupons`, { headers })
    await response.arrayBuffer()
    return response
  }
  const statuses = []
  // Addresses in the same /64 network count as one client.
  for (let i = 0; i < 302; i += 1) statuses.push((await send('desk_x', `2001:db8::${i}`)).status)
  expect(statuses).toEqual([...Array(300).fill(401), ...Array(2).fill(429)])
  expect(Number((await send('desk_x', '2001:db8::1')).headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await send(key, '2001:db8::1')).status).toBe(200)
  expect((await send('desk_x', '2001:db8:0:1::1')).status).toBe(401)
  const metrics = await (await fetch(`${server.url}/metrics`, { headers: { Authorization: `Bearer ${'a'.repeat(32)}` } })).text()
  expect(metrics).toContain('desk_throttle_refused_total{throttle="failed_keys"} 3')
  await stop(server)
})
