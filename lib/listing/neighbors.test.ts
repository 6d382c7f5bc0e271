/** The neighbors of a record are those before and after it in the list that it was opened from. */
import { beforeAll, expect, it } from 'vitest'
import { importLines, makeSeller, minimal, openTestDatabase } from '@/testing/seller'
import { payments } from '../catalog/payments'
import { toListQuery } from './list-query'
import { findNeighbors, findTicketNeighbors } from './neighbors'

beforeAll(openTestDatabase)

it('follows the filters and the search of the list', async () => {
  const seller = await makeSeller()
  // Two have the same time, so the ID decides.
  const lines = [1, 2, 2, 3, 4].map((second, at) =>
    minimal('payments', { createdAt: `2026-03-01T12:00:0${second}.000Z`, status: at % 2 ? 'failed' : 'paid', orderId: `OR-${at}` }),
  )
  await importLines('payments', seller, lines)
  const newestFirst = lines
    .map(({ createdAt, id }) => [String(createdAt), String(id)] as const)
    .sort((a, b) => (a.join() < b.join() ? 1 : -1))
  const ids = newestFirst.map(([, id]) => id)
  for (const [at, id] of ids.entries()) {
    expect(await findNeighbors(toListQuery(payments, seller, { limit: 20 }), id)).toEqual({ newer: ids[at - 1], older: ids[at + 1] })
  }
  const paid = lines.filter(({ status }) => status === 'paid').map(({ id }) => String(id))
  const filtered = toListQuery(payments, seller, { limit: 20, status: 'paid' })
  expect(await findNeighbors(filtered, String(paid[1]))).toEqual({ newer: paid[2], older: paid[0] })
  const searched = toListQuery(payments, seller, { limit: 20, search: 'OR-' })
  expect(await findNeighbors(searched, String(ids[1]))).toEqual({ newer: ids[0], older: ids[2] })
  expect(await findNeighbors(toListQuery(payments, await makeSeller(), { limit: 20 }), String(ids[1]))).toEqual({})
})

it('of a ticket follows the filters of the list of tickets', async () => {
  const seller = await makeSeller()
  const lines = ['PAID', 'CANCELED', 'PAID'].map((status, at) => minimal('tickets', { status, createdAt: `2026-03-01T12:00:0${at}.000Z` }))
  await importLines('tickets', seller, lines)
  const [first, second, third] = lines.map(({ id }) => String(id))
  expect(await findTicketNeighbors(seller, {}, String(second))).toEqual({ newer: third, older: first })
  expect(await findTicketNeighbors(seller, { status: 'PAID' }, String(first))).toEqual({ newer: third, older: undefined })
})
