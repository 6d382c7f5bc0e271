/** Tests that the request log stores every request with a valid key, including those just before a shutdown or while the log is locked. */
import { sql } from 'drizzle-orm'
import postgres from 'postgres'
import { database } from '@/db/client'
import { revokeKey } from '@/lib/accounts/api-keys'
import { makeKey, makeSeller } from '@/testing/seller'
import { expect, test, untilRevoked } from './support/api'
import { serveApi, stop } from './support/processes'

const databaseEnv = () => ({ DATABASE_URL: String(process.env.TEST_DATABASE_URL), DATA_DIR: String(process.env.TEST_DATA_DIR) })

type Entry = { id: string; status: number }

/** Sorts entries by ID, because the order within a millisecond is not defined. */
const sortById = (entries: Entry[]) => entries.toSorted((a, b) => (a.id < b.id ? -1 : 1))

const readLog = async (seller: string) =>
  sortById(
    await database().use(({ rows }) => rows<Entry>(sql`select request_id as id, status from request_log where seller_id = ${seller}`)),
  )

test('only requests with a valid key are stored, including rejected ones and those just before a shutdown', async () => {
  const server = await serveApi({ ...databaseEnv(), RATE_LIMIT_PER_MINUTE: '3' })
  const seller = await makeSeller()
  const { id, key } = await makeKey(seller, 'coupons:read')
  const responses: Entry[] = []
  const send = async (path: string, bearer: string | undefined) => {
    const { headers, status } = await fetch(`${server.url}${path}`, { headers: bearer ? { Authorization: `Bearer ${bearer}` } : {} })
    responses.push({ id: String(headers.get('request-id')), status })
  }
  for (const path of ['/v1/coupons', '/v1/payments', '/v1/coupons?limit=0', '/v1/coupons']) await send(path, key)
  await revokeKey(seller, id)
  await untilRevoked()
  // A revoked key, an unknown key, no key, and a valid key for an operation that does not require one.
  for (const bearer of [key, `desk_${'0'.repeat(36)}`, undefined]) await send('/v1/coupons', bearer)
  await send('/v1/openapi.json', (await makeKey(seller)).key)
  await stop(server)
  expect(responses.map(({ status }) => status)).toEqual([200, 403, 400, 429, 401, 401, 401, 200])
  expect(await readLog(seller)).toEqual(sortById(responses.slice(0, 4)))
})

test('while the log’s table is locked, requests are not delayed, and they are stored once it is unlocked', async ({ api }) => {
  const owner = postgres(String(process.env.TEST_OWNER_URL), { max: 1 })
  const responses: Entry[] = []
  await owner.begin(async (transaction) => {
    await transaction`lock table request_log`
    for (let i = 0; i < 5; i += 1) {
      const { headers, status } = await api.call('/v1/coupons')
      responses.push({ id: String(headers.get('request-id')), status })
    }
    // The write to the log is still blocked, so the responses did not wait for it.
    const listWaiting = () => transaction`select 1 from pg_locks where not granted and relation = 'request_log'::regclass`
    await expect.poll(async () => (await listWaiting()).length).toBeGreaterThan(0)
  })
  await owner.end()
  await expect.poll(() => readLog(api.seller)).toEqual(sortById(responses))
})

test('a request that changes a record is stored with its method and route, without the record’s ID', async ({ api }) => {
  const headers = { 'Content-Type': 'application/json' }
  const coupon = { label: 'Summer', code: 'SUMMER', duration: 'once', percentOff: 5 }
  const created = await api.call('/v1/coupons', { method: 'POST', headers, body: JSON.stringify(coupon) })
  const { id } = created.json.data as unknown as { id: string }
  await api.call(`/v1/coupons/${id}`, { method: 'PATCH', headers, body: '{"label":"Winter"}' })
  const readStored = () =>
    database().use(({ rows }) =>
      rows(sql`select method, route, status, key_id as key from request_log where seller_id = ${api.seller} order by method desc`),
    )
  await expect.poll(readStored).toEqual([
    { method: 'POST', route: '/v1/coupons', status: 201, key: api.keyId },
    { method: 'PATCH', route: '/v1/coupons/:id', status: 200, key: api.keyId },
  ])
})
