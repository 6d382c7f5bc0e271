/** The request log is written in batches, has a bounded buffer, survives an outage, and is visible only to its seller. */
// @module-tag slow
import { sql } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { database, openDatabase, setDatabase } from '@/db/client'
import { withOwnDatabase } from '@/testing/own-database'
import { makeKey, makeSeller } from '@/testing/seller'
import { captureStatements, explain } from '@/testing/statements'
import { env } from '../core/env'
import { writeMetrics } from '../core/metrics'
import { newRequestId } from './exchange'
import { listRequests, type RequestParams, requestParams } from './list-requests'
import { bufferRequest, flushRequests, type LoggedRequest, MAX_WAITING, purgeRequests } from './request-log'

// Uses its own database, because a purge deletes the requests of all sellers, and all tests in a process share the buffer.
const testDatabase = withOwnDatabase()

const DAY_MS = 24 * 60 * 60 * 1000
const sendRequest = (seller: string, params: Partial<Record<keyof RequestParams, string>> = {}) =>
  listRequests(seller, requestParams.parse(params))
const listIds = async (seller: string, params: Partial<Record<keyof RequestParams, string>> = {}) =>
  (await sendRequest(seller, params)).rows.map(({ requestId }) => requestId)

type PartialRequest = Partial<LoggedRequest> & { sellerId: string }

function addRequest(members: PartialRequest): LoggedRequest {
  const request: LoggedRequest = {
    keyId: 'a'.repeat(24),
    requestId: newRequestId(),
    at: new Date(),
    method: 'GET',
    route: '/v1/payments',
    status: 200,
    ms: 4.2,
    ...members,
  }
  bufferRequest(request)
  return request
}

/** Buffers requests, each a millisecond older than the previous one. */
const addRequests = (sellerId: string, count: number, getMembers: (index: number) => Partial<LoggedRequest> = () => ({})) => {
  const now = Date.now()
  return Array.from({ length: count }, (_, index) => addRequest({ sellerId, at: new Date(now - index), ...getMembers(index) }))
}

const countWritten = async (sellerId: string) => {
  const [row] = await database().use(({ rows }) =>
    rows<{ count: number }>(sql`select count(*)::int as count from request_log where seller_id = ${sellerId}`),
  )
  return row?.count
}

const countDropped = async () => {
  const { text = '' } = (await writeMetrics()) ?? {}
  return Number(/^desk_request_log_dropped_total (\d+)$/m.exec(text)?.[1])
}

/** Runs `work` while the database is unreachable. */
async function withoutDatabase(work: () => Promise<void>): Promise<void> {
  const originalDatabase = database()
  const unreachable = openDatabase({ url: 'postgres://x@127.0.0.1:9/x', max: 1 })
  setDatabase(unreachable)
  try {
    await work()
  } finally {
    setDatabase(originalDatabase)
    await unreachable.close(0)
  }
}

it('writes the buffer in batches of one statement each, and writes no request twice', async () => {
  const seller = await makeSeller()
  const requests = addRequests(seller, 1_500)
  expect(await captureStatements(flushRequests)).toHaveLength(2)
  expect(await captureStatements(flushRequests)).toEqual([])
  expect(await countWritten(seller)).toBe(1_500)
  // Simulates a write whose response was lost.
  for (const request of requests.slice(0, 10)) bufferRequest(request)
  addRequest({ sellerId: seller })
  await flushRequests()
  expect(await countWritten(seller)).toBe(1_501)
})

it('stores the caller, the operation, the outcome and the time, and has no column for content', async () => {
  const seller = await makeSeller()
  const { id: keyId } = await makeKey(seller)
  const request = addRequest({ sellerId: seller, keyId, method: 'POST', route: '/v1/tickets/validate/:qrCode', status: 429, ms: 1203.4 })
  await flushRequests()
  const { sellerId: _, ...expected } = request
  expect((await sendRequest(seller)).rows).toEqual([{ ...expected, at: request.at.toISOString() }])
  const columns = await database().use(({ rows }) =>
    rows<{ name: string }>(sql`select column_name as name from information_schema.columns where table_name = 'request_log'`),
  )
  expect(columns.map(({ name }) => name).sort()).toEqual(['at', 'key_id', 'method', 'ms', 'request_id', 'route', 'seller_id', 'status'])
})

it('keeps the buffer during an outage, and drops further requests when it is full', async () => {
  const seller = await makeSeller()
  const before = await countDropped()
  await withoutDatabase(async () => {
    addRequests(seller, MAX_WAITING + 3)
    await flushRequests()
  })
  expect(await countDropped()).toBe(before + 3)
  await flushRequests()
  expect(await countWritten(seller)).toBe(MAX_WAITING)
})

it('stores at most as many 403s and 429s per key and minute as the rate limit allows requests, and all other requests', async () => {
  const seller = await makeSeller()
  const before = await countDropped()
  const limit = env().RATE_LIMIT_PER_MINUTE
  addRequests(seller, limit + 3, (i) => ({ keyId: 'c'.repeat(24), status: i % 2 === 0 ? 403 : 429 }))
  expect(await countDropped()).toBe(before + 3)
  addRequest({ sellerId: seller, keyId: 'c'.repeat(24), status: 200 })
  addRequest({ sellerId: seller, keyId: 'd'.repeat(24), status: 429 })
  await flushRequests()
  expect(await countDropped()).toBe(before + 3)
  expect(await countWritten(seller)).toBe(limit + 2)
})

it('drops an invalid batch, and writes the next one', async () => {
  const seller = await makeSeller()
  const before = await countDropped()
  addRequest({ sellerId: seller, status: 1_000_000 })
  await flushRequests()
  expect(await countDropped()).toBe(before + 1)
  addRequest({ sellerId: seller })
  await flushRequests()
  expect(await countWritten(seller)).toBe(1)
})

it('lists the requests of the last 7 days, and deletes older ones', async () => {
  const [seller, other] = [await makeSeller(), await makeSeller()]
  const old = Date.now() - 7 * DAY_MS
  addRequests(other, 5_001, () => ({ at: new Date(old - 1000) }))
  const kept = addRequest({ sellerId: seller, at: new Date(old + 60_000) })
  addRequest({ sellerId: seller, at: new Date(old) })
  await flushRequests()
  expect(await listIds(seller)).toEqual([kept.requestId])
  expect(await countWritten(seller)).toBe(2)
  await purgeRequests()
  expect([await countWritten(seller), await countWritten(other)]).toEqual([1, 0])
})

it('paginates in both directions, even through requests with the same timestamp', async () => {
  const [seller, other] = [await makeSeller(), await makeSeller()]
  const now = Date.now()
  addRequests(seller, 9, (index) => ({ at: new Date(now - Math.floor(index / 4)) }))
  const [theirs] = addRequests(other, 1)
  await flushRequests()
  const all = await listIds(seller)
  expect(all).toHaveLength(9)
  const first = await sendRequest(seller, { limit: '4' })
  expect([first.hasPrevious, first.hasNext]).toEqual([false, true])
  const second = await sendRequest(seller, { limit: '4', starting_after: String(all[3]) })
  const third = await sendRequest(seller, { limit: '4', starting_after: String(all[7]) })
  expect([...first.rows, ...second.rows, ...third.rows].map(({ requestId }) => requestId)).toEqual(all)
  expect([third.hasPrevious, third.hasNext]).toEqual([true, false])
  expect(await sendRequest(seller, { limit: '4', ending_before: String(all[8]) })).toMatchObject({ hasPrevious: true, hasNext: true })
  expect(await listIds(seller, { limit: '4', ending_before: String(all[8]) })).toEqual(all.slice(4, 8))
  expect((await sendRequest(seller, { ending_before: String(all[4]) })).hasPrevious).toBe(false)
  for (const cursor of ['starting_after', 'ending_before'])
    for (const id of [theirs?.requestId, 'req_gone']) expect(await listIds(seller, { [cursor]: String(id) })).toEqual([])
})

it('filters by status class, key and complete ID, and never lists another seller’s requests', async () => {
  const [seller, other] = [await makeSeller(), await makeSeller()]
  const statuses = [200, 404, 503, 429, 204]
  const requests = addRequests(seller, 5, (index) => ({ status: statuses[index] ?? 0, keyId: (index % 2 ? 'b' : 'a').repeat(24) }))
  const [theirs] = addRequests(other, 1)
  await flushRequests()
  const [ok, missing, down, limited, empty] = requests.map(({ requestId }) => requestId)
  expect(await listIds(seller, { status: '2xx' })).toEqual([ok, empty])
  expect(await listIds(seller, { status: '4xx' })).toEqual([missing, limited])
  expect(await listIds(seller, { status: '5xx', key: 'A'.repeat(24) })).toEqual([down])
  expect(await listIds(seller, { key: 'b'.repeat(24) })).toEqual([missing, limited])
  expect(await listIds(seller, { search: ` ${down} ` })).toEqual([down])
  for (const search of [String(down).slice(0, -1), 'req_', '%', String(theirs?.requestId)])
    expect(await listIds(seller, { search })).toEqual([])
})

it.each([
  ['request_log_seller_id_at_request_id_pk', {}],
  ['request_log_status', { status: '5xx' }],
  ['request_log_key', { key: 'b'.repeat(24) }],
] as const)('reads fewer than 60 rows from the index %s, no matter how long the log is', async (index, filter) => {
  const seller = await makeSeller()
  const many = addRequests(seller, 3_000, (i) => ({ status: i % 9 ? 200 : 503, keyId: (i % 7 ? 'a' : 'b').repeat(24) }))
  await flushRequests()
  await database().use(({ rows }) => rows(sql`analyze request_log`))
  const [list] = await captureStatements(() => sendRequest(seller, { ...filter, starting_after: String(many[1_000]?.requestId) }))
  if (!list) throw new Error('No statement ran.')
  const nodes = await explain(testDatabase.url, list)
  expect(nodes.map((node) => node['Index Name'])).toContain(index)
  for (const node of nodes) expect(node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0), JSON.stringify(node)).toBeLessThan(60)
})

it('deletes by primary key, without reading the remaining requests', async () => {
  const seller = await makeSeller()
  const [purge] = await captureStatements(purgeRequests)
  if (!purge) throw new Error('No statement ran.')
  addRequests(seller, 3_000)
  addRequests(seller, 5, () => ({ at: new Date(Date.now() - 8 * DAY_MS) }))
  await flushRequests()
  await database().use(({ rows }) => rows(sql`analyze request_log, sellers`))
  const nodes = await explain(testDatabase.url, purge)
  for (const node of nodes) expect(node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0), JSON.stringify(node)).toBeLessThan(60)
  expect(await countWritten(seller)).toBe(3_000)
})
