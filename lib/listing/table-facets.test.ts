/** The counts of a table's status tabs are exact and never outdated. */
import { beforeAll, expect, it } from 'vitest'
import { importLines, makeSeller, minimal, openTestDatabase } from '@/testing/seller'
import { payments } from '../catalog/payments'
import type { TableParams } from '../catalog/table-params'
import { countStatuses } from './table-facets'
import { toTableQuery } from './table-query'

beforeAll(openTestDatabase)

const table = (seller: string, params: Partial<TableParams>) => toTableQuery(payments, seller, { limit: 20, ...params }, 'UTC')

const order = (i: number, status: string) =>
  minimal('payments', { id: i.toString(16).padStart(24, '0'), orderId: `FACET-${i}`, status, createdAt: '2026-01-01T00:00:00.000Z' })

it('counts the records per status, with and without a search, and again after a change', async () => {
  const seller = await makeSeller()
  await importLines('payments', seller, [order(1, 'paid'), order(2, 'paid'), order(3, 'failed'), minimal('payments', { status: 'draft' })])
  const found = { search: 'facet-' }
  for (let round = 0; round < 2; round += 1) expect(await countStatuses(table(seller, found))).toEqual({ paid: 2, failed: 1 })
  expect(await countStatuses(table(seller, { ...found, status: ['failed'] }))).toEqual({ paid: 2, failed: 1 })
  expect(await countStatuses(table(seller, {}))).toEqual({ paid: 2, failed: 1, draft: 1 })
  await importLines('payments', seller, [order(2, 'refunded')])
  expect(await countStatuses(table(seller, found))).toEqual({ paid: 1, refunded: 1, failed: 1 })
  expect(await countStatuses(table(await makeSeller(), found))).toEqual({})
})
