/** The amounts of the orders in a table, minus the amounts due, equal the revenue on the overview. */
import { beforeAll, expect, test, vi } from 'vitest'
import { importLines, type Line, makeSeller, minimal, openTestDatabase } from '@/testing/seller'
import { resources } from '../catalog'
import { SOLD_STATUSES } from '../catalog/order'
import type { TableParams } from '../catalog/table-params'
import { loadDateRange } from '../reports/date-range'
import { loadSales } from '../reports/sales'
import { sumDue } from './sum-due'
import { readFacets, sumFiltered } from './table-facets'
import { toTableQuery } from './table-query'

beforeAll(openTestDatabase)

async function makeShop() {
  const seller = await makeSeller('UTC')
  const order = (overrides: Line) => minimal('payments', { currency: 'eur', createdAt: new Date().toISOString(), ...overrides })
  await importLines('payments', seller, [
    order({ amount: 5000 }),
    order({ amount: 4000, status: 'partially_paid', amountPaid: 1500, billing: { name: 'Ada' } }),
    order({ amount: 1000, status: 'partially_paid' }),
    order({ amount: 700, status: 'partially_paid', amountPaid: 200, currency: 'jpy' }),
    order({ amount: 600, status: 'partially_paid', amountPaid: 100, livemode: false }),
    order({ amount: 300, status: 'partial_refund' }),
    order({ amount: 900, status: 'failed' }),
  ])
  const read = async (params: Partial<TableParams>) => {
    const query = toTableQuery(resources.payments, seller, { limit: 20, ...params } as TableParams, 'UTC')
    const due = await sumDue(query)
    const received = (code: string, amount: number) => amount - (due?.find(({ currency }) => currency === code)?.amount ?? 0)
    const sums = sumFiltered(query, await readFacets(query)).map(({ currency, amount }) => [currency, received(currency, amount)])
    return { due, received: Object.fromEntries(sums) }
  }
  /** Waits for the amounts due, because a query that takes too long on a busy machine returns none. */
  const readReceived = async (params: Partial<TableParams>) => {
    const amounts = await vi.waitUntil(async () => {
      const found = await read(params)
      return found.due && found
    }, 60_000)
    return amounts.received
  }
  return { seller, read, readReceived }
}

test('the amounts received equal the revenue on the overview, in each currency', async () => {
  const { seller, readReceived } = await makeShop()
  const sales = await loadSales(seller, await loadDateRange('UTC', 1))
  const revenue = Object.fromEntries(sales.map(({ currency, current }) => [currency, current.revenue]))
  expect(revenue).toEqual({ EUR: 6800, JPY: 200 })
  for (const params of [{}, { livemode: ['true' as const] }, { period: 'today' as const }])
    expect(await readReceived({ status: [...SOLD_STATUSES], ...params })).toEqual(revenue)
})

test('the amounts received include only orders that match the table’s other filters', async () => {
  const { read, readReceived } = await makeShop()
  const status = ['partially_paid']
  expect(await readReceived({ status })).toEqual({ EUR: 1500, JPY: 200 })
  expect(await readReceived({ status, currency: 'EUR' })).toEqual({ EUR: 1500 })
  expect(await readReceived({ status, search: 'ada' })).toEqual({ EUR: 1500 })
  expect(await readReceived({ status, livemode: ['false'] })).toEqual({ EUR: 100 })
  await expect.poll(async () => (await read({ status, search: 'nobody' })).due).toEqual([])
})

test.each([[[]], [['paid', 'partial_refund']], [['partially_paid', 'failed']]])(
  'there are no amounts due in a table with the statuses %j',
  async (status) => {
    const { read } = await makeShop()
    expect((await read({ status })).due).toBeUndefined()
  },
)
