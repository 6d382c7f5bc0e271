/** Only a few lists run at once, and a limited number wait. The rest are rejected before they take any resources. */
import { availableParallelism } from 'node:os'
import { sql } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { database, setDatabase } from '@/db/client'
import { openPools } from '@/db/pools'
import { reportedLoads } from '@/db/semaphore'
import { UnavailableError } from '@/db/unavailable'
import { withLongTimeouts } from '@/testing/long-timeouts'
import { importLines, makeKey, makeSeller, minimal, openTestDatabase } from '@/testing/seller'
import { untilBlocking } from '@/testing/until-blocking'
import { lockWriters } from '../accounts/erasure-lock'
import { generateKey } from '../accounts/verify-key'
import { resources } from '../catalog'
import { createCouponRoute } from './coupon-routes'
import { eraseCustomerRoute } from './customer-routes'
import { listRoute } from './list-route'
import type { Route } from './methods'
import { validateTicketRoute } from './validate-ticket-route'

beforeAll(openTestDatabase)

type Reply = { status: number; retryAfter: string | null }

/** Creates a seller whose API key is cached, and returns a function that requests one of its lists. */
async function openShop(): Promise<() => Promise<Reply>> {
  const { key } = await makeKey(await makeSeller())
  const { GET } = listRoute(resources.coupons)
  const sendRequest = async () => {
    const { status, headers } = await GET(new Request('http://x/v1/coupons', { headers: { Authorization: `Bearer ${key}` } }))
    return { status, retryAfter: headers.get('retry-after') }
  }
  expect((await sendRequest()).status).toBe(200)
  return sendRequest
}

/**
 * Runs a callback while lists are slow and may wait 100 times as long as usual.
 *
 * @param mayEnd returns whether lists that are running may end
 * @returns the maximum number of lists that ran at once
 */
async function withSlowLists(callback: () => Promise<void>, mayEnd = () => true): Promise<number> {
  const open = database()
  const running = { now: 0, max: 0 }
  setDatabase({
    ...open,
    use: (run) =>
      open.use(async (connection) => {
        running.now += 1
        running.max = Math.max(running.max, running.now)
        do await connection.rows(sql`select pg_sleep(0.005)`)
        while (!mayEnd())
        try {
          return await run(connection)
        } finally {
          running.now -= 1
        }
      }),
  })
  try {
    await withLongTimeouts(callback)
    return running.max
  } finally {
    setDatabase(open)
  }
}

test('accepts 48 of a hundred concurrent lists, runs a few at a time, and rejects the others immediately', async () => {
  const sendRequest = await openShop()
  const { refused: before = 0 } = reportedLoads().get('lists') ?? {}
  // On a busy machine, a list could end before the last one is requested, so none may end until then.
  let areAllRequested = false
  const mayEnd = () => {
    const { active = 0, waiting = 0, refused = 0 } = reportedLoads().get('lists') ?? {}
    areAllRequested ||= active + waiting + refused === before + 100
    return areAllRequested
  }
  const maxRunning = await withSlowLists(async () => {
    const ended: Reply[] = []
    await Promise.all(Array.from({ length: 100 }, () => sendRequest().then((reply) => ended.push(reply))))
    expect(ended.filter(({ status }) => status === 200)).toHaveLength(48)
    // None of the rejected requests waited for a running list.
    expect(ended.slice(0, 52)).toEqual(Array(52).fill({ status: 503, retryAfter: '1' }))
    expect(reportedLoads().get('lists')).toEqual({ active: 0, waiting: 0, refused: before + 52 })
  }, mayEnd)
  expect(maxRunning).toBe(Math.max(2, availableParallelism()) + 1)
})

test('lets the server delay the 503 of a list, but not that of a check-in', async () => {
  const { key } = await makeKey(await makeSeller())
  const headers = new Headers({ Authorization: `Bearer ${key}` })
  const handle = (route: Route, method: string, path: string) =>
    route.GET.handle({ id: 'req_1', method, url: `http://x/v1/${path}`, headers, body: null }, { qrCode: 'guest' })
  const list = () => handle(listRoute(resources.coupons), 'GET', 'coupons')
  expect(await list()).toMatchObject({ status: 200 })
  const open = database()
  const fail = () => Promise.reject(new UnavailableError('The database is unavailable.'))
  setDatabase({ ...open, use: fail, transaction: fail })
  const [refused, checkIn] = await Promise.all([list(), handle(validateTicketRoute, 'POST', 'tickets/validate/guest')])
  setDatabase(open)
  expect(refused).toMatchObject({ status: 503, refusal: 'api' })
  expect(checkIn).toMatchObject({ status: 503, refusal: undefined })
})

test('lets sellers take turns, so that one seller’s many lists do not block another’s', async () => {
  const [sendRequest, sendAsAnotherSeller] = [await openShop(), await openShop()]
  await withSlowLists(async () => {
    let ended = 0
    const many = Array.from({ length: 60 }, () => sendRequest().then(({ status }) => (ended += Number(status === 200))))
    const another = await Promise.all(Array.from({ length: 5 }, sendAsAnotherSeller))
    expect(another.map(({ status }) => status)).toEqual(Array(5).fill(200))
    expect(ended).toBeLessThan(24)
    await Promise.all(many)
    expect(ended).toBe(48)
  })
})

/** Creates a seller with a customer. @returns functions that list the customers and erase the customer over the API */
async function setUpErasure() {
  const seller = await makeSeller()
  const customer = minimal('customers', { email: 'ada@example.com' })
  await importLines('customers', seller, [customer])
  const headers = { Authorization: `Bearer ${(await makeKey(seller)).key}` }
  const list = async () => (await listRoute(resources.customers).GET(new Request('http://x/v1/customers', { headers }))).status
  const erase = async () => {
    const request = new Request(`http://x/v1/customers/${customer.id}/erase`, { method: 'POST', headers })
    const { status, headers: received } = await eraseCustomerRoute.POST(request, { params: Promise.resolve({ id: String(customer.id) }) })
    return { status, retryAfter: received.get('retry-after') }
  }
  return { seller, list, erase }
}

test('runs two erasures at a time, one per seller, rejects others after a short wait, and runs lists in the meantime', async () => {
  const [first, second, third] = [await setUpErasure(), await setUpErasure(), await setUpErasure()]
  const { refused: before = 0 } = reportedLoads().get('long_writes') ?? {}
  const running = await database().transaction(async (connection) => {
    for (const { seller } of [first, second]) await lockWriters(connection, seller)
    const erasures = [first.erase(), second.erase()]
    await untilBlocking(connection, 2)
    // As many erasures as there are slots for lists, so that they would leave none if they used these slots.
    const many = [...Array.from({ length: Math.max(2, availableParallelism()) + 1 }, first.erase), third.erase()]
    expect(await Promise.all([first.list(), second.list(), third.list()])).toEqual([200, 200, 200])
    expect(await Promise.all(many)).toEqual(many.map(() => ({ status: 503, retryAfter: '1' })))
    expect(reportedLoads().get('long_writes')).toEqual({ active: 2, waiting: 0, refused: before + many.length })
    return erasures
  })
  expect((await Promise.all(running)).map(({ status }) => status)).toEqual([200, 200])
  expect(await third.erase()).toMatchObject({ status: 200 })
})

test('runs lists while clients upload changes slowly', async () => {
  const { key } = await makeKey(await makeSeller())
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', 'Content-Length': '1000' }
  let stop = () => {}
  const stopped = new Promise<void>((resolve) => {
    stop = resolve
  })
  const uploads: Promise<Response>[] = []
  for (let client = 0; client < 60; client += 1) {
    await new Promise<void>((resolve) => {
      const body = new ReadableStream({
        start: (controller) => controller.enqueue(Buffer.from('{')),
        // Called once the start of the body has been read.
        pull: async (controller) => {
          resolve()
          await stopped
          controller.error(new Error('The client has disconnected.'))
        },
      })
      const init = { method: 'POST', headers, body, duplex: 'half' }
      const upload = createCouponRoute.POST(new Request('http://x/v1/coupons', init))
      uploads.push(upload)
      void upload.then(() => resolve())
    })
  }
  const { status } = await listRoute(resources.coupons).GET(
    new Request('http://x/v1/coupons', { headers: { Authorization: `Bearer ${key}` } }),
  )
  stop()
  expect([status, new Set((await Promise.all(uploads)).map((upload) => upload.status))]).toEqual([200, new Set([400])])
})

test('gives no slot to a request with a forged key', async () => {
  const { key } = await makeKey(await makeSeller())
  // Uses a server's pools, in which key lookups have reserved connections.
  const pools = openPools(String(process.env.TEST_DATABASE_URL))
  const { GET } = listRoute(resources.coupons)
  const sendRequest = async (bearer: string) =>
    (await GET(new Request('http://x/v1/coupons', { headers: { Authorization: `Bearer ${bearer}` } }))).status
  expect(await sendRequest(key)).toBe(200)
  const forged = Array.from({ length: 100 }, () => sendRequest(generateKey()))
  // The key is cached, and no more list requests are sent than can run at once, so none of them waits.
  expect(await Promise.all(Array.from({ length: 3 }, () => sendRequest(key)))).toEqual([200, 200, 200])
  for (const status of await Promise.all(forged)) expect([401, 503]).toContain(status)
  await pools.close(0)
})

test('makes lists wait while tickets are being checked in, but only briefly', async () => {
  const pools = openPools(String(process.env.TEST_DATABASE_URL))
  const { key } = await makeKey(await makeSeller())
  const { GET } = listRoute(resources.coupons)
  const sendRequest = () => GET(new Request('http://x/v1/coupons', { headers: { Authorization: `Bearer ${key}` } }))
  await sendRequest()
  const order: string[] = []
  let end = () => {}
  const checkIn = () => {
    const ended = new Promise<void>((resolve) => {
      end = () => resolve(void order.push('check-in'))
    })
    return database('doors').use(() => ended)
  }
  // The time limit is two seconds instead of 20 milliseconds, so that the list does not exceed it on a busy machine.
  await withLongTimeouts(async () => {
    const [first, list] = [checkIn(), sendRequest().then(() => order.push('list'))]
    await database().use(({ rows }) => rows(sql`select pg_sleep(0.1)`))
    end()
    await Promise.all([first, list])
  })
  const second = checkIn()
  await sendRequest().then(() => order.push('list'))
  end()
  await second
  expect(order).toEqual(['check-in', 'list', 'list', 'check-in'])
  await pools.close(0)
})
