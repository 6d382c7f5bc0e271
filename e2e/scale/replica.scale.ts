/** Tests which requests a streaming replica serves while it is up to date, lagging, down or hanging. */
import postgres, { type Sql } from 'postgres'
import { addUser } from '@/lib/accounts/users'
import { importLines, makeKey, makeSeller, minimal } from '@/testing/seller'
import { test as base, expect, PASSWORD, submitSignIn } from '../support/dashboard'
import { serve, stop } from '../support/processes'
import { type RecordingProxy, startRecordingProxy } from './recording-proxy'

/** A seller with one payment and one ticket. `email` is the owner's. `list` and `scan` call the API. */
type Shop = { seller: string; email: string; list(query?: string): Promise<ApiResponse>; scan(code: string): Promise<ApiResponse> }
type ApiResponse = { status: number; text: string; total: number }

const ORDER = 'OR-OF-THE-REPLICA'

const test = base.extend<{ replica: Sql; network: RecordingProxy; url: string; replicaShop: Shop }>({
  replica: async ({ browserName: _ }, use) => {
    const sql = postgres(String(process.env.TEST_REPLICA_URL), { max: 1 })
    await use(sql)
    await sql`select pg_wal_replay_resume()`
    await sql.end()
  },
  network: async ({ browserName: _ }, use) => {
    const network = await startRecordingProxy(Number(new URL(String(process.env.TEST_REPLICA_URL)).port))
    await use(network)
    await network.close()
  },
  url: async ({ network }, use) => {
    const replicaUrl = new URL(String(process.env.TEST_DATABASE_URL))
    replicaUrl.port = String(network.port)
    const server = await serve({
      DATABASE_URL: process.env.TEST_DATABASE_URL,
      DATABASE_REPLICA_URL: replicaUrl.href,
      DATA_DIR: process.env.TEST_DATA_DIR,
      NEXTAUTH_URL: '',
    })
    await use(server.url)
    await stop(server)
  },
  replicaShop: async ({ url, replica }, use) => {
    const seller = await makeSeller()
    const { key } = await makeKey(seller)
    const email = `owner-${seller}@example.com`
    await addUser(seller, { email, password: PASSWORD, role: 'owner' })
    expect(
      (
        await importLines('payments', seller, [
          minimal('payments', { orderId: ORDER, currency: 'EUR', createdAt: new Date().toISOString() }),
        ])
      ).rejects,
    ).toEqual([])
    expect((await importLines('tickets', seller, [minimal('tickets', { qrCode: 'guest' })])).rejects).toEqual([])
    await waitUntilCaughtUp(replica)
    const call = async (path: string, method = 'GET') => {
      const response = await fetch(`${url}${path}`, { method, headers: { Authorization: `Bearer ${key}` } })
      const text = await response.text()
      return { status: response.status, text, total: JSON.parse(text).total as number }
    }
    await use({
      seller,
      email,
      list: (query = '') => call(`/v1/payments?${query}`),
      scan: (code) => call(`/v1/tickets/validate/${code}`, 'POST'),
    })
  },
})

// The tests run one at a time, because each changes the replica's state.
test.describe.configure({ mode: 'default' })

/** Waits until the replica has caught up with the primary. */
async function waitUntilCaughtUp(replica: Sql): Promise<void> {
  const primary = postgres(String(process.env.TEST_OWNER_URL), { max: 1 })
  const [row] = await primary<{ lsn: string }[]>`select pg_current_wal_lsn()::text as lsn`
  await primary.end()
  await expect
    .poll(async () => (await replica`select pg_last_wal_replay_lsn() >= ${String(row?.lsn)}::pg_lsn as caught_up`)[0]?.caught_up)
    .toBe(true)
}

const addPayment = (seller: string, orderId: string) => importLines('payments', seller, [minimal('payments', { orderId })])

test('the replica serves lists, searches and the overview, but not keys, sessions or check-in', async ({
  replicaShop,
  network,
  url,
  page,
}) => {
  for (const query of ['', 'status=paid&limit=1', 'search=the-replica']) {
    network.clear()
    expect(await replicaShop.list(query)).toMatchObject({ status: 200, total: 1 })
    expect(network.received(), query).toContain(ORDER)
  }
  await page.goto(`${url}/payments`)
  network.clear()
  await submitSignIn(page, replicaShop.email, PASSWORD)
  await expect(page.getByText(ORDER)).toBeVisible()
  expect(network.received()).toContain(ORDER)
  await page.goto(`${url}/overview`)
  await expect(page.getByRole('heading', { name: /EUR/ })).toBeAttached()
  expect(network.sent()).toContain('width_bucket')

  network.clear()
  expect((await replicaShop.scan('guest')).text).toContain('"success":true')
  expect((await replicaShop.scan('nobody')).status).toBe(404)
  await page.goto(`${url}/door`)
  await page.goto(`${url}/settings/keys`)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  expect(network.sent()).not.toMatch(/"tickets"|"api_keys"|"sessions"|"check_ins"/)
})

test('a lagging replica serves only lists without newer changes, and the primary serves the others', async ({
  replicaShop,
  network,
  replica,
  url,
}) => {
  const other = await makeSeller()
  const { key } = await makeKey(other)
  await addPayment(other, 'OR-OF-ANOTHER')
  await waitUntilCaughtUp(replica)
  await replica`select pg_wal_replay_pause()`
  await expect.poll(async () => (await replica`select pg_get_wal_replay_pause_state() as state`)[0]?.state).toBe('paused')

  await addPayment(replicaShop.seller, 'OR-NEW')
  network.clear()
  for (const query of ['', 'search=or-']) {
    const listed = await replicaShop.list(query)
    expect(listed).toMatchObject({ status: 200, total: 2 })
    expect(listed.text).toContain('OR-NEW')
  }
  expect(network.received()).not.toContain('"orderId"')
  expect((await replicaShop.scan('guest')).text).toContain('"success":true')
  expect((await replicaShop.scan('guest')).text).toContain('already_checked_in')

  // The replica still serves lists that have not changed.
  expect((await fetch(`${url}/v1/payments`, { headers: { Authorization: `Bearer ${key}` } })).status).toBe(200)
  expect(network.received()).toContain('OR-OF-ANOTHER')

  await replica`select pg_wal_replay_resume()`
  await waitUntilCaughtUp(replica)
  network.clear()
  expect((await replicaShop.list()).total).toBe(2)
  expect(network.received()).toContain('OR-NEW')
})

test('the primary serves lists while the replica is down, and the replica serves them again afterward', async ({
  replicaShop,
  network,
}) => {
  expect((await replicaShop.list()).total).toBe(1)
  await network.setState('down')
  for (let round = 0; round < 20; round += 1) expect(await replicaShop.list()).toMatchObject({ status: 200, total: 1 })
  expect((await replicaShop.scan('guest')).text).toContain('"success":true')
  await network.setState('up')
  await expect
    .poll(
      async () => {
        network.clear()
        await replicaShop.list()
        return network.received().includes(ORDER)
      },
      { timeout: 30_000 },
    )
    .toBe(true)
})

test('a hanging replica delays one list briefly and does not delay check-in', async ({ replicaShop, network }) => {
  expect((await replicaShop.list()).total).toBe(1)
  await network.setState('hanging')
  const order: string[] = []
  const recordOrder = async (name: string, response: Promise<ApiResponse>) => {
    const listed = await response
    order.push(name)
    return listed
  }
  const [list, scan] = [recordOrder('list', replicaShop.list()), recordOrder('scan', replicaShop.scan('guest'))]
  expect((await scan).text).toContain('"success":true')
  expect(await list).toMatchObject({ status: 200, total: 1 })
  expect(order).toEqual(['scan', 'list'])
  for (let round = 0; round < 20; round += 1) expect(await replicaShop.list()).toMatchObject({ status: 200, total: 1 })
})

test('a server starts while the replica is down', async ({ replicaShop, network }) => {
  await network.setState('down')
  const server = await serve({
    DATABASE_URL: process.env.TEST_DATABASE_URL,
    DATABASE_REPLICA_URL: `postgres://desk@127.0.0.1:${network.port}/desk`,
    DATA_DIR: process.env.TEST_DATA_DIR,
  })
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
  const { key } = await makeKey(replicaShop.seller)
  const response = await fetch(`${server.url}/v1/payments`, { headers: { Authorization: `Bearer ${key}` } })
  expect([response.status, await response.text()]).toEqual([200, expect.stringContaining(ORDER)])
  await expect.poll(() => server.output()).toContain('the replica is unavailable')
  await stop(server)
})
