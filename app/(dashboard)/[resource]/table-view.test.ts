/** Tests that a table's filters are derived from its resource, and that the counts of its tabs add up. */
import { expect, test } from 'vitest'
import { resources } from '@/lib/catalog'
import type { Resource } from '@/lib/catalog/resource'
import { makeFilters, makeTabs } from './table-view'

const { payments, coupons } = resources
const listLabels = (resource: Resource) =>
  makeFilters(resource, [{ id: '651f2a90c1d4e5f60a1b2c3d', name: 'Concert' }], 'UTC').map(({ label }) => label)

test('the payments table has every filter', () => {
  expect(listLabels(payments)).toEqual(['Status', 'Product or event', 'Date', 'Amount', 'Method', 'Live/test'])
})

test('a table of records that lack some members has no filters for them', () => {
  const record = payments.record.omit({ paymentMethod: true, livemode: true })
  expect(listLabels({ ...payments, record } as unknown as Resource)).toEqual(['Status', 'Product or event', 'Date', 'Amount'])
  expect(listLabels(coupons)).toEqual(['Date'])
})

test('the counts of the other tabs add up to the count of All, including records without a status', () => {
  const counts = { active: 3, failed: 2, draft: 1, '': 4 }
  const [all, ...others] = makeTabs(resources.subscriptions, '/subscriptions', new URLSearchParams(), counts) ?? []
  expect(all?.count).toBe('10')
  expect(others.reduce((sum, { count }) => sum + Number(count), 0)).toBe(10)
  expect(others.at(-1)).toMatchObject({ label: 'Other', count: '5' })
})
