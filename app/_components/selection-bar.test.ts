/** Tests that the sums of the selected rows match the sums below the table, and that the export contains all selected rows. */
import { expect, it } from 'vitest'
import { resources } from '@/lib/catalog'
import { makeRow } from './cells'
import { buildSelectedPath, formatSums } from './selection-bar'

const [paid, unpaid] = [
  { status: 'paid', amount: 5000 },
  { status: 'unpaid', amount: 700 },
]
const partial = { status: 'partially_paid', amount: 4000, amountPaid: 1500 }

it.each([
  [[paid, { ...paid, status: 'partial_refund' }], ['€100.00']],
  [[paid, partial], ['€90.00 (€65.00 received)']],
  [[{ ...partial, amountPaid: undefined }], ['€40.00 (€0.00 received)']],
  [
    [partial, { ...paid, currency: 'jpy' }],
    ['€40.00 (€15.00 received)', '¥5,000'],
  ],
  [
    [partial, { ...unpaid, livemode: false }, {}],
    ['€40.00 (€15.00 received)', 'excluding 1 test payment'],
  ],
  [[paid, { livemode: false }], ['€50.00']],
  [[{ livemode: false, amount: 1 }, { livemode: false, amount: 2 }, {}], ['excluding 2 test payments']],
  [[{ ...paid, livemode: false }], ['€50.00']],
  [[partial, unpaid], ['€47.00']],
])('the sums of %j are %j', (records, sums) => {
  const rows = records.map((record) =>
    makeRow({ id: '1', currency: 'eur', ...record }, resources.payments.columns, { timeZone: 'UTC', pageNames: new Map() }),
  )
  const selected = rows.map(({ sum, isTest = false }) => ({
    isTest,
    amount: String(sum?.amount ?? ''),
    due: String(sum?.due ?? ''),
    currency: sum?.currency ?? '',
  }))
  expect(formatSums(selected, 'payment', 'payments')).toEqual(sums)
})

it('exports all selected rows in table order, even those that no longer match the filters', () => {
  const ids = ['b', 'a']
  expect(buildSelectedPath('/payments/export', ids)).toBe('/payments/export?ids=b,a')
  expect(buildSelectedPath('/payments/export?status=failed&search=ada&period=today', ids)).toBe('/payments/export?ids=b,a')
  expect(buildSelectedPath('/payments/export?status=failed&sort=-customer&currency=EUR', ids)).toBe(
    '/payments/export?sort=-customer&ids=b,a',
  )
  // Amounts can be sorted only within one currency.
  expect(buildSelectedPath('/payments/export?currency=EUR&sort=-amount', ids)).toBe('/payments/export?sort=-amount&currency=EUR&ids=b,a')
})
