/** The neighbors of a record are the records before and after it among the records that match a table's filters, in the table's order. */
import { beforeAll, expect, it } from 'vitest'
import { importLines, makeSeller, minimal, openTestDatabase } from '@/testing/seller'
import { payments } from '../catalog/payments'
import type { TableParams } from '../catalog/table-params'
import { findNeighbors } from './neighbors'
import { toTableQuery } from './table-query'

beforeAll(openTestDatabase)

const inTable = (seller: string, params: Omit<TableParams, 'limit'> = {}) => toTableQuery(payments, seller, { limit: 20, ...params }, 'UTC')

it('respects the filters and the search of the list', async () => {
  const seller = await makeSeller()
  // Two payments have the same time, so their IDs determine their order.
  const lines = [1, 2, 2, 3, 4].map((second, i) =>
    minimal('payments', { createdAt: `2026-03-01T12:00:0${second}.000Z`, status: i % 2 ? 'failed' : 'paid', orderId: `OR-${i}` }),
  )
  await importLines('payments', seller, lines)
  const newestFirst = lines
    .map(({ createdAt, id }) => [String(createdAt), String(id)] as const)
    .sort((a, b) => (a.join() < b.join() ? 1 : -1))
  const ids = newestFirst.map(([, id]) => id)
  for (const [i, id] of ids.entries()) {
    expect(await findNeighbors(inTable(seller), id)).toEqual({ previous: ids[i - 1], next: ids[i + 1] })
  }
  const paid = lines.filter(({ status }) => status === 'paid').map(({ id }) => String(id))
  const filtered = inTable(seller, { status: ['paid'] })
  expect(await findNeighbors(filtered, String(paid[1]))).toEqual({ previous: paid[2], next: paid[0] })
  const searched = inTable(seller, { search: 'OR-' })
  expect(await findNeighbors(searched, String(ids[1]))).toEqual({ previous: ids[0], next: ids[2] })
  expect(await findNeighbors(inTable(await makeSeller()), String(ids[1]))).toEqual({})
})

it('respects filters, sort orders and name searches that only the dashboard’s tables have', async () => {
  const seller = await makeSeller()
  const lines = [
    { status: 'failed', amount: 300, billing: { name: 'Zoë Müller' } },
    { status: 'paid', amount: 100, livemode: false },
    { status: 'unpaid', amount: 200 },
    { status: 'paid', amount: 200, billing: { name: 'Zoë Müller' } },
  ].map((line, i) => minimal('payments', { createdAt: `2026-03-01T12:00:0${i}.000Z`, currency: 'eur', ...line }))
  await importLines('payments', seller, lines)
  const [first, second, third, fourth] = lines.map(({ id }) => String(id))
  const neighborsOf = (id: string | undefined, params: Omit<TableParams, 'limit'>) => findNeighbors(inTable(seller, params), String(id))
  expect(await neighborsOf(third, { livemode: ['true'] })).toEqual({ previous: fourth, next: first })
  expect(await neighborsOf(first, { status: ['failed', 'unpaid'] })).toEqual({ previous: third, next: undefined })
  expect(await neighborsOf(first, { search: 'zoe' })).toEqual({ previous: fourth, next: undefined })
  expect(await neighborsOf(second, { sort: 'createdAt' })).toEqual({ previous: first, next: third })
  expect(await neighborsOf(third, { sort: '-amount', currency: 'EUR' })).toEqual({ previous: fourth, next: second })
  expect(await neighborsOf(third, { sort: 'amount', currency: 'EUR' })).toEqual({ previous: second, next: fourth })
})
