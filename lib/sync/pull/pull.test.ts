/** A pull from another service over HTTP is complete, resumable and incremental, and respects rate limits. */
// @module-tag slow
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { database } from '@/db/client'
import type { ResourceName } from '@/lib/catalog'
import { newObjectId } from '@/lib/core/object-id'
import { runDesk } from '@/testing/programs'
import { type Line, makeSeller, minimal, openTestDatabase } from '@/testing/seller'
import { exportRecords } from '../export/export'
import type { Reject } from '../import/import'
import { type PullOptions, pullRecords, renameMembers } from './pull'
import { openSource, type Source, SourceError } from './source'

type ResponseOverride = { status?: number; headers?: Record<string, string>; body?: string; hangUp?: boolean }

/** The simulated service: its records, newest first, the requests and keys it received, and response overrides by request number. */
const other = {
  records: [] as Line[],
  requests: [] as string[],
  keys: [] as (string | undefined)[],
  overrides: new Map<number, ResponseOverride>(),
}

function respond(request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '/', 'http://x')
  other.requests.push(`${url.pathname}${url.search}`)
  other.keys.push(request.headers.authorization)
  const override = other.overrides.get(other.requests.length)
  if (override?.hangUp) {
    response.socket?.destroy()
    return
  }
  if (override) {
    response.writeHead(override.status ?? 200, { 'Content-Type': 'application/json', ...override.headers })
    response.end(override.body ?? '{}')
    return
  }
  const after = url.searchParams.get('starting_after')
  const start = after === null ? 0 : other.records.findIndex(({ id }) => id === after) + 1
  const limit = Number(url.searchParams.get('limit'))
  if (after !== null && start === 0) {
    response.writeHead(400, { 'Content-Type': 'application/json' })
    response.end(JSON.stringify({ error: 'Bad Request', message: 'No such record.', code: 'resource_missing', param: 'starting_after' }))
    return
  }
  const data = other.records.slice(start, start + limit)
  response.writeHead(200, { 'Content-Type': 'application/json' })
  response.end(JSON.stringify({ has_more: start + limit < other.records.length, total: other.records.length, data }))
}

let server: Server
let from: string
let seller: string

/** The requested delays in milliseconds. Tests record them instead of waiting. */
let waits: number[]

beforeAll(async () => {
  openTestDatabase()
  server = createServer(respond)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  from = `http://127.0.0.1:${(server.address() as AddressInfo).port}/shop`
})

afterAll(() => {
  server.closeAllConnections()
  server.close()
})

beforeEach(async () => {
  Object.assign(other, { records: [], requests: [], keys: [], overrides: new Map() })
  waits = []
  seller = await makeSeller()
})

/** Returns records, newest first, many with the same timestamp. */
const makeRecords = (count: number, day: number, makeMembers: (index: number) => Line = () => ({})): Line[] =>
  Array.from({ length: count }, (_, index) =>
    minimal('payments', {
      createdAt: new Date(Date.UTC(2026, 0, day) + Math.floor(index / 7) * 1000).toISOString(),
      ...makeMembers(index),
    }),
  ).sort((a, b) => (`${a.createdAt}${a.id}` < `${b.createdAt}${b.id}` ? 1 : -1))

async function pull(options: Partial<PullOptions> = {}) {
  const rejects: Reject[] = []
  const source = openSource({
    from,
    key: 'the-key',
    pause: async (milliseconds) => {
      waits.push(milliseconds)
    },
  })
  other.requests = []
  const result = await pullRecords({
    resource: 'payments',
    seller,
    from,
    source,
    onReject: (reject) => {
      rejects.push(reject)
    },
    ...options,
  })
  return { ...result, rejects, pages: other.requests.length }
}

async function readExport(resource: ResourceName = 'payments'): Promise<Line[]> {
  const lines: Line[] = []
  for await (const line of exportRecords(resource, seller)) lines.push(JSON.parse(line) as Line)
  return lines
}

const getStoredIds = async (resource?: ResourceName) => (await readExport(resource)).map(({ id }) => id).reverse()

const ids = () => other.records.map(({ id }) => id)

const makeCustomer = (day: number) => minimal('customers', { createdAt: new Date(Date.UTC(2026, 0, day)).toISOString() })

/** Pulls new orders, which creates their customers. @returns these customers as the simulated service lists them, newest first */
async function pullOrders(count: number, day: number): Promise<Line[]> {
  other.records = makeRecords(count, day, (index) => ({ customerId: newObjectId(), customerEmail: `${index}@example.com` }))
  await pull()
  return other.records.map(({ customerId, customerEmail, createdAt }) => ({ id: customerId, email: customerEmail, createdAt }))
}

/** Pulls customers, and expects that all of them are stored afterward. */
async function pullCustomers(customers: Line[]) {
  other.records = customers
  const result = await pull({ resource: 'customers' })
  expect((await getStoredIds('customers')).sort()).toEqual(ids().sort())
  return result
}

describe('pullRecords', () => {
  it('copies all records page by page, with the key in the header', async () => {
    other.records = makeRecords(250, 1)
    expect(await pull()).toMatchObject({ read: 250, written: 250, unchanged: 0, rejected: 0, pages: 3 })
    expect(await getStoredIds()).toEqual(ids())
    expect(other.requests[0]).toBe('/shop/v1/payments/?limit=100')
    expect(other.requests[1]).toBe(`/shop/v1/payments/?limit=100&starting_after=${ids()[99]}`)
    expect(new Set(other.keys)).toEqual(new Set(['Bearer the-key']))
  })

  it('copies nothing from an empty list', async () => {
    expect(await pull()).toMatchObject({ read: 0, written: 0, pages: 1 })
    expect(await pull()).toMatchObject({ read: 0, written: 0, pages: 1 })
  })

  it('stops a second pull at the first unchanged page, unless it is a full pull', async () => {
    other.records = makeRecords(450, 1)
    await pull()
    expect(await pull()).toMatchObject({ read: 100, written: 0, unchanged: 100, pages: 1 })
    other.records = [...makeRecords(130, 2), ...other.records]
    expect(await pull()).toMatchObject({ read: 300, written: 130, pages: 3 })
    // The changed record is older than the first unchanged page.
    other.records = other.records.map((record, index) => (index === 500 ? { ...record, status: 'refunded' } : record))
    expect(await pull()).toMatchObject({ written: 0, pages: 1 })
    expect(await pull({ full: true })).toMatchObject({ read: 580, written: 1, unchanged: 579, pages: 6 })
    expect(await getStoredIds()).toEqual(ids())
  })

  it('finds a new customer below a page of customers that were created from orders', async () => {
    const customers = await pullOrders(20, 1)
    await pullCustomers(customers)
    const withoutOrder = makeCustomer(2)
    const newest = await pullOrders(130, 3)
    expect(await pullCustomers([...newest, withoutOrder, ...customers])).toMatchObject({ read: 151, written: 1, pages: 2 })
    expect(await pullCustomers([...newest, withoutOrder, ...customers])).toMatchObject({ written: 0, pages: 1 })
  })

  it('finds a new customer with the same timestamp as the newest customer of the last pull', async () => {
    const customers = [makeCustomer(2), makeCustomer(1)]
    await pullCustomers(customers)
    const newest = await pullOrders(99, 3)
    customers.splice(1, 0, makeCustomer(2))
    expect(await pullCustomers([...newest, ...customers])).toMatchObject({ written: 1 })
  })

  it('finds new customers below pages of customers that were created from orders, even after an interruption', async () => {
    const customers = [makeCustomer(1)]
    await pullCustomers(customers)
    customers.unshift(...(await pullOrders(230, 3)), makeCustomer(2))
    for (let request = 2; request < 20; request += 1) other.overrides.set(request, { status: 503 })
    await expect(pullCustomers(customers)).rejects.toThrow(SourceError)
    other.overrides.clear()
    customers.unshift(...(await pullOrders(130, 5)), makeCustomer(4))
    expect(await pullCustomers(customers)).toMatchObject({ written: 2 })
  })

  it('resumes after the page where it was interrupted, then copies newer records', async () => {
    other.records = makeRecords(550, 1)
    for (let request = 3; request < 20; request += 1) other.overrides.set(request, { hangUp: true })
    await expect(pull()).rejects.toThrow(/is not available .*Run the command again to continue/)
    expect(await getStoredIds()).toEqual(ids().slice(0, 200))
    other.overrides.clear()
    other.records = [...makeRecords(50, 2), ...other.records]
    // Four pages after the interruption, and then, from the start of the list, a page with the new records and an unchanged page.
    expect(await pull()).toMatchObject({ read: 550, written: 400, pages: 6 })
    expect(await getStoredIds()).toEqual(ids())
    expect(await pull()).toMatchObject({ written: 0, pages: 1 })
  })

  it('leaves no gap if a later incremental pull is interrupted', async () => {
    for (const cutAt of [1, 2, 3, 4]) {
      seller = await makeSeller()
      other.overrides.clear()
      other.records = makeRecords(150, 1)
      await pull()
      other.records = [...makeRecords(330, 2), ...other.records]
      for (let request = cutAt; request < 30; request += 1) other.overrides.set(request, { status: 503 })
      await expect(pull()).rejects.toThrow(SourceError)
      other.overrides.clear()
      await pull()
      expect(await getStoredIds()).toEqual(ids())
      expect(await pull()).toMatchObject({ written: 0, pages: 1 })
    }
  })

  it('leaves no gap if it is killed between importing a page and saving its progress', async () => {
    other.records = makeRecords(150, 1)
    await pull()
    other.records = [...makeRecords(350, 2), ...other.records]
    let pages = 0
    const killed = pull({
      onProgress: () => {
        pages += 1
        if (pages === 2) throw new Error('killed')
      },
    })
    await expect(killed).rejects.toThrow('killed')
    expect(await getStoredIds()).toHaveLength(350)
    await pull()
    expect(await getStoredIds()).toEqual(ids())
  })

  it('starts over if the cursor’s record no longer exists', async () => {
    other.records = makeRecords(350, 1)
    for (let request = 3; request < 20; request += 1) other.overrides.set(request, { status: 503 })
    await expect(pull()).rejects.toThrow(SourceError)
    other.overrides.clear()
    other.records = other.records.filter((_, index) => index !== 199)
    expect(await pull()).toMatchObject({ read: 349, pages: 5 })
    expect((await getStoredIds()).length).toBe(350)
  })

  it('starts over if the cursor’s record is deleted while the pull runs', async () => {
    other.records = makeRecords(350, 1)
    const all = ids()
    const onProgress = (read: number) => {
      if (read === 200) other.records = other.records.filter((_, index) => index !== 199)
    }
    expect(await pull({ onProgress })).toMatchObject({ read: 549, written: 350, pages: 7 })
    expect(await getStoredIds()).toEqual(all)
  })

  it('fails if the other service also rejects a cursor after the pull has started over', async () => {
    other.records = makeRecords(150, 1)
    const body = JSON.stringify({ message: 'No such record.', code: 'resource_missing' })
    for (const request of [2, 4]) other.overrides.set(request, { status: 400, body })
    await expect(pull()).rejects.toThrow('rejected the request for payments (400): No such record.')
  })

  it('finds changes to old records in a full pull, even after an interrupted incremental pull', async () => {
    other.records = makeRecords(350, 1)
    await pull()
    other.records = [...makeRecords(150, 2), ...other.records]
    for (let request = 2; request < 20; request += 1) other.overrides.set(request, { status: 503 })
    await expect(pull()).rejects.toThrow(SourceError)
    other.overrides.clear()
    other.records = other.records.map((record, index) => (index === 490 ? { ...record, status: 'refunded' } : record))
    expect(await pull({ full: true })).toMatchObject({ written: 51 })
  })

  it('continues an interrupted pull in a full pull only if it was a full pull too, and otherwise reads the whole list', async () => {
    other.records = makeRecords(350, 1)
    const interrupt = async (full: boolean) => {
      for (let request = 3; request < 20; request += 1) other.overrides.set(request, { status: 503 })
      await expect(pull({ full })).rejects.toThrow(SourceError)
      other.overrides.clear()
    }
    await interrupt(false)
    // The changed record is on a page that the first pull read.
    other.records = other.records.map((record, index) => (index === 150 ? { ...record, status: 'refunded' } : record))
    await interrupt(true)
    expect((await readExport()).filter(({ status }) => status === 'refunded')).toHaveLength(1)
    // Two pages after the interruption, and then the first page, which is unchanged.
    expect(await pull({ full: true })).toMatchObject({ read: 250, written: 150, pages: 3 })
    expect(await pull({ full: true })).toMatchObject({ read: 350, written: 0, pages: 4 })
  })

  it('renames stripe to gateway in member names at any depth, except in keys that come from customers', async () => {
    const [record] = makeRecords(1, 1)
    other.records = [
      {
        ...record,
        stripePaymentIntentId: 'pi_1',
        stripePaymentIntentClientSecret: 'pi_1_secret',
        stripeTaxCalculationId: 'taxcalc_1',
        queryParameters: { stripeSource: 'stripe' },
        paymentMethod: { gateway: 'stripe' },
      },
    ]
    expect(await pull()).toMatchObject({ written: 1, rejects: [] })
    const lines: string[] = []
    for await (const line of exportRecords('payments', seller)) lines.push(line)
    expect(JSON.parse(String(lines[0]))).toMatchObject({
      gatewayPaymentIntentId: 'pi_1',
      gatewayTaxCalculationId: 'taxcalc_1',
      queryParameters: { stripeSource: 'stripe' },
      paymentMethod: { gateway: 'stripe' },
    })
    expect(lines[0]).not.toContain('secret')
    expect(renameMembers({ fees: [{ stripeProductId: 'a' }], selectedOptions: [{ optionStripePriceId: 'b' }] })).toEqual({
      fees: [{ gatewayProductId: 'a' }],
      selectedOptions: [{ optionGatewayPriceId: 'b' }],
    })
    expect(renameMembers({ gatewayChargeId: 'own', stripeChargeId: 'theirs' })).toEqual({ gatewayChargeId: 'own' })
  })

  it('reports an invalid record and copies the others', async () => {
    other.records = makeRecords(150, 1, (index) => (index === 20 ? { amount: 'ten' } : index === 30 ? { surprise: 1 } : {}))
    const { rejects, ...result } = await pull()
    expect(result).toMatchObject({ read: 150, written: 148, rejected: 2 })
    expect(rejects.map(({ path }) => path).sort()).toEqual(['amount', 'surprise'])
    expect(await pull({ full: true, dropUnknown: true })).toMatchObject({ written: 1, rejected: 1 })
  })

  it('continues after pages of rejected records, up to a page with unchanged ones', async () => {
    other.records = makeRecords(250, 1)
    await pull()
    other.records = [...makeRecords(130, 3, () => ({ surprise: 1 })), ...makeRecords(170, 2), ...other.records]
    expect(await pull()).toMatchObject({ read: 400, written: 170, unchanged: 100, rejected: 130, pages: 4 })
    // The second page contains rejected and unchanged records, and no new ones, so the pull stops there.
    expect(await pull()).toMatchObject({ read: 200, written: 0, unchanged: 70, rejected: 130, pages: 2 })
  })

  it('reports a number that would be rounded', async () => {
    other.records = makeRecords(3, 1)
    const data = JSON.stringify(other.records).replace(/"amount":1000/, '"amount":1000.00000000000000001')
    other.overrides.set(1, { body: `{"has_more":false,"total":3,"data":${data}}` })
    const { rejects, ...result } = await pull()
    expect(result).toMatchObject({ read: 3, written: 2, rejected: 1 })
    expect(rejects).toMatchObject([{ line: 1, path: 'amount', reason: expect.stringMatching(/^must not be 1000\.00000000000000001, /) }])
  })

  it('generates the tickets of a paid booking once, and cancels them if the booking is refunded', async () => {
    const booking = minimal('bookings', { tickets: [{ quantity: 2 }] })
    other.records = [booking]
    const readStatuses = () => database().use(({ rows }) => rows(sql`select status from tickets where seller_id = ${seller}`))
    for (const written of [1, 0]) {
      expect(await pull({ resource: 'bookings' })).toMatchObject({ written })
      expect(await readStatuses()).toEqual(Array(2).fill({ status: 'PAID' }))
    }
    other.records = [{ ...booking, status: 'refunded' }]
    await pull({ resource: 'bookings', full: true })
    expect(await readStatuses()).toEqual(Array(2).fill({ status: 'CANCELED' }))
  })

  it('fails with instructions while another pull copies the same list for the same seller', async () => {
    other.records = makeRecords(3, 1)
    const runCommand = () => {
      const args = ['pull', '--from', from, '--key', 'the-key', '--seller', seller, '--only', 'payments']
      return runDesk(args, { DATABASE_URL: process.env.TEST_DATABASE_URL })
    }
    let second: unknown
    const source: Source = {
      async list() {
        second = await runCommand()
        return { hasMore: false, total: 3, records: other.records }
      },
    }
    const first = await pull({ source })
    expect(second).toMatchObject({
      code: 1,
      stderr:
        'desk: Another `desk pull` is already copying payments from this service for this seller. Run the command again when it is done.\n',
    })
    expect(first).toMatchObject({ written: 3 })
    expect(await runCommand()).toMatchObject({ code: 0 })
  })

  it('waits for as long as Retry-After says', async () => {
    other.records = makeRecords(150, 1)
    other.overrides.set(1, { status: 429, headers: { 'Retry-After': '42' } })
    other.overrides.set(2, { status: 503, headers: { 'Retry-After': 'not a time' } })
    other.overrides.set(4, { status: 429, headers: { 'Retry-After': '7' } })
    expect(await pull()).toMatchObject({ written: 150, pages: 5 })
    expect(waits).toEqual([42_000, 2000, 7000])
  })

  it('waits for the rate limit to reset instead of exceeding it', async () => {
    other.records = makeRecords(250, 1)
    for (const [request, left] of [
      [1, '5'],
      [2, '0'],
    ] as const) {
      const page = { has_more: true, total: 250, data: other.records.slice(request * 100 - 100, request * 100) }
      other.overrides.set(request, { headers: { 'RateLimit-Remaining': left, 'RateLimit-Reset': '30' }, body: JSON.stringify(page) })
    }
    expect(await pull()).toMatchObject({ written: 250, pages: 3 })
    expect(waits).toHaveLength(1)
    expect(waits[0]).toBeGreaterThan(20_000)
    expect(waits[0]).toBeLessThanOrEqual(30_000)
  })

  it('gives up after six attempts with backoff, and keeps the copied records', async () => {
    other.records = makeRecords(150, 1)
    for (let request = 2; request < 20; request += 1) other.overrides.set(request, { hangUp: true })
    await expect(pull()).rejects.toThrow(/The records copied so far are kept/)
    expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000])
    expect(await getStoredIds()).toHaveLength(100)
  })

  it.each([
    [
      { status: 401, body: '{"error":"Unauthorized","message":"This API key does not work.","code":"key_invalid"}' },
      /rejected the key for payments \(401\): This API key does not work\./,
    ],
    [{ status: 403, body: '{"message":"lacks the scope"}' }, /rejected the key for payments \(403\): lacks the scope/],
    [{ status: 400, body: '{"message":"no\\u001b[2J\\r\\nway\\u009b"}' }, /rejected the request for payments \(400\): no \[2J way $/],
    [{ status: 404, body: '<html>' }, /has no list of payments \(404\). Check the URL\./],
    [{ status: 200, body: '<html>' }, /is not a list of payments/],
    [{ status: 200, body: '{"data":[1]}' }, /is not a list of payments/],
    [{ status: 302, headers: { Location: 'https://127.0.0.1:9/' } }, /redirected to https:\/\/127\.0\.0\.1:9\. Use the final URL/],
    [{ status: 200, body: '{"has_more":true,"total":9,"data":[]}' }, /does not continue/],
  ])('reports what is wrong with a response such as %j', async (override, sentence) => {
    for (let request = 1; request < 20; request += 1) other.overrides.set(request, override)
    await expect(pull()).rejects.toThrow(sentence)
    expect(await getStoredIds()).toEqual([])
  })

  it('rejects a response of more than 128 MiB', async () => {
    other.overrides.set(1, { body: ' '.repeat(128 * 1024 * 1024 + 1) })
    await expect(pull()).rejects.toThrow('sent a response of more than 128 MiB')
  })
})
