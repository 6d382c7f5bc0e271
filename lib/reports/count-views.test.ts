/** The sidebar's counts equal the totals of the views' tables, and are read from the database at most once a minute. */
import { setTimeout } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { importLines, makeSeller, minimal } from '@/testing/seller'
import { captureStatements } from '@/testing/statements'
import { resources } from '../catalog'
import type { Resource } from '../catalog/resource'
import { tableParams } from '../catalog/table-params'
import { ticketTableParams } from '../catalog/ticket-table'
import { listTable } from '../listing/list-table'
import { toTableQuery } from '../listing/table-query'
import { listTicketTable, toTicketQuery } from '../listing/ticket-table'
import { withinTime } from '../listing/within-time'
import { type CountedView, countViews as countWithin } from './count-views'

vi.mock(import('../listing/within-time'), { spy: true })

/** Counts views, with time limits that are not exceeded even on a busy machine. */
const countViews = (sellerId: string, views: CountedView[]) => countWithin(sellerId, views, { viewMs: 60_000, allMs: 600_000 })

const toView = (sellerId: string, resource: Resource, text: string): CountedView => {
  const params = tableParams(resource).parse(Object.fromEntries(new URLSearchParams(text)))
  return { id: text, path: `${resource.name}?${text}`, query: toTableQuery(resource, sellerId, params, 'UTC') }
}

const toTicketView = (sellerId: string, text: string): CountedView => {
  const params = ticketTableParams.parse(Object.fromEntries(new URLSearchParams(text)))
  return { id: `tickets ${text}`, path: `tickets?${text}`, query: toTicketQuery(sellerId, params, 'UTC') }
}

async function makeShop(): Promise<string> {
  const seller = await makeSeller()
  await importLines('payments', seller, [
    minimal('payments', { status: 'paid', amount: 500, currency: 'eur', billing: { name: 'Ada Lovelace' } }),
    minimal('payments', { status: 'paid', amount: 900, currency: 'jpy', createdAt: '2026-01-01T00:00:00.000Z' }),
    minimal('payments', { status: 'failed', amount: 700, currency: 'eur', livemode: false }),
  ])
  await importLines('tickets', seller, [minimal('tickets', { customerName: 'Ada' }), minimal('tickets', { status: 'CANCELED' })])
  return seller
}

it('counts the records in each view’s table', async () => {
  const seller = await makeShop()
  const filters = [
    ...['', 'status=paid', 'status=paid,failed', 'search=lovelace', 'created[gte]=2026-02-01', 'livemode=false'],
    ...['amount[gte]=5&currency=EUR', 'currency=EUR&sort=amount&status=failed', 'period=today', 'status=paid&limit=50&sort=createdAt'],
  ]
  const tables = filters.map((text) => toView(seller, resources.payments, text))
  const tickets = ['', 'status=CANCELED', 'search=ada'].map((text) => toTicketView(seller, text))
  const counts = await countViews(seller, [...tables, ...tickets])
  expect(Object.keys(counts)).toHaveLength(tables.length + tickets.length)
  for (const { id, query } of [...tables, ...tickets]) {
    const { total } = 'resource' in query ? await listTable(query) : await listTicketTable(query)
    expect([id, counts[id]]).toEqual([id, total])
  }
})

it('reads a count once a minute for all users of the shop', async () => {
  const seller = await makeShop()
  const view = toView(seller, resources.payments, 'status=paid')
  const other = { ...toView(seller, resources.payments, 'status=failed'), id: 'other' }
  expect(await countViews(seller, [view])).toEqual({ 'status=paid': 2 })
  const statements = await captureStatements(async () => {
    expect(await countViews(seller, [{ ...view, id: 'a colleague’s' }, other])).toEqual({ 'a colleague’s': 2, other: 1 })
    expect(await countViews(seller, [view, other])).toEqual({ 'status=paid': 2, other: 1 })
  })
  // One statement for the settings, and one for the count of the other view.
  expect(statements).toHaveLength(2)
})

it('keeps the counts of shops separate', async () => {
  const [seller, stranger] = [await makeShop(), await makeSeller()]
  expect(await countViews(seller, [toView(seller, resources.payments, '')])).toEqual({ '': 3 })
  expect(await countViews(stranger, [toView(stranger, resources.payments, '')])).toEqual({ '': 0 })
})

it('omits a view that takes too long, and does not count it again in the next request', async () => {
  const seller = await makeShop()
  const [slow, quick] = [toView(seller, resources.payments, 'search=slow'), toView(seller, resources.payments, 'status=paid')]
  vi.mocked(withinTime).mockResolvedValueOnce(undefined)
  expect(await countViews(seller, [slow, quick])).toEqual({ 'status=paid': 2 })
  vi.mocked(withinTime).mockClear()
  expect(await countViews(seller, [slow, quick])).toEqual({ 'status=paid': 2 })
  expect(withinTime).not.toHaveBeenCalled()
})

it('stops counting views when the time limit has passed', async () => {
  const seller = await makeShop()
  const views = [toView(seller, resources.payments, 'status=paid'), toView(seller, resources.payments, 'status=failed')]
  const { calls } = vi.mocked(withinTime).mock
  const [read, before] = [performance.now.bind(performance), calls.length]
  // The first view uses up the time limit. The jump is shorter than the cache's TTL, because lru-cache caches the current time for a
  // millisecond, and may therefore still use the mocked time after the mock is restored.
  const now = vi.spyOn(performance, 'now').mockImplementation(() => read() + (calls.length > before ? 50_000 : 0))
  try {
    expect(await countWithin(seller, views, { viewMs: 60_000, allMs: 100_000 })).toEqual({ 'status=paid': 2 })
  } finally {
    now.mockRestore()
  }
  expect(await countViews(seller, views)).toEqual({ 'status=paid': 2, 'status=failed': 1 })
})

it('returns a cached count even if it expires while another view is counted', async () => {
  const seller = await makeShop()
  const views = [toView(seller, resources.payments, 'status=paid'), toView(seller, resources.payments, 'status=failed')]
  const { withinTime: run } = await vi.importActual<typeof import('../listing/within-time')>('../listing/within-time')
  let time = performance.now()
  const now = vi.spyOn(performance, 'now').mockImplementation(() => time)
  const advance = async (seconds: number) => {
    time += seconds * 1_000
    // lru-cache caches the time until a timer of one millisecond has fired.
    await setTimeout(5)
  }
  // Counting a view takes 1 second, then 3, then 5, so each request has time for only one.
  for (const seconds of [1, 3, 5])
    vi.mocked(withinTime).mockImplementationOnce(async (...parameters) => {
      await advance(seconds)
      return run(...parameters)
    })
  const count = () => countWithin(seller, views, { viewMs: 60_000, allMs: 60_500 })
  try {
    expect(await count()).toEqual({ 'status=paid': 2 })
    await advance(59)
    expect(await count()).toEqual({ 'status=paid': 2, 'status=failed': 1 })
    await advance(57)
    expect(await count()).toEqual({ 'status=paid': 2, 'status=failed': 1 })
  } finally {
    now.mockRestore()
  }
})
