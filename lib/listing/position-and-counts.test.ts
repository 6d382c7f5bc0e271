/** The position of a record and the status counts are exact and never outdated. */
import { beforeAll, expect, it } from 'vitest'
import { importLines, makeSeller, minimal, openTestDatabase } from '@/testing/seller'
import { payments } from '../catalog/payments'
import { toListQuery } from './list-query'
import { findPosition, NO_LIMIT, statusCounts } from './position-and-counts'

beforeAll(openTestDatabase)

const order = (i: number, status: string) =>
  minimal('payments', { id: i.toString(16).padStart(24, '0'), orderId: `AROUND-${i}`, status, createdAt: '2026-01-01T00:00:00.000Z' })

it('counts the records per status, with and without a search, and again after a change', async () => {
  const seller = await makeSeller()
  await importLines('payments', seller, [order(1, 'paid'), order(2, 'paid'), order(3, 'failed'), minimal('payments', { status: 'draft' })])
  const found = { limit: 20, search: 'around-' }
  for (let round = 0; round < 2; round += 1)
    expect(await statusCounts(toListQuery(payments, seller, found))).toEqual({ paid: 2, failed: 1 })
  expect(await statusCounts(toListQuery(payments, seller, { ...found, status: 'failed' }))).toEqual({ paid: 2, failed: 1 })
  expect(await statusCounts(toListQuery(payments, seller, { limit: 20 }))).toEqual({ paid: 2, failed: 1, draft: 1 })
  await importLines('payments', seller, [order(2, 'refunded')])
  expect(await statusCounts(toListQuery(payments, seller, found))).toEqual({ paid: 1, refunded: 1, failed: 1 })
  expect(await statusCounts(toListQuery(payments, await makeSeller(), found))).toEqual({})
})

it('returns the position of a record if at most the specified number of records come before it', async () => {
  const seller = await makeSeller()
  await importLines(
    'payments',
    seller,
    Array.from({ length: 30 }, (_, i) => order(i, i % 2 ? 'paid' : 'failed')),
  )
  const id = '0'.repeat(24)
  for (const params of [{ limit: 20 }, { limit: 20, search: 'AROUND' }]) {
    expect(await findPosition(toListQuery(payments, seller, params), id)).toBe(30)
    expect(await findPosition(toListQuery(payments, seller, params), id, 10)).toBeUndefined()
    expect(await findPosition(toListQuery(payments, seller, { ...params, status: 'paid' }), id, NO_LIMIT)).toBe(16)
  }
})
