/** Tests that filter values are formatted as in the rest of the dashboard. */
import { expect, it } from 'vitest'
import { makeDateFilter } from '@/app/(dashboard)/[resource]/table-view'
import { describeFilter } from './describe-filter'
import type { Filter } from './filter'

const amount: Filter = { kind: 'amount', label: 'Amount' }
const date = makeDateFilter('UTC')

it.each<[Filter, string, string | undefined]>([
  [date, 'created[gte]=2026-04-10&created[lte]=2026-10-26', 'Apr 10 – Oct 26, 2026'],
  [date, 'created[gte]=2026-04-10&created[lte]=2026-04-10', 'Apr 10, 2026'],
  [date, 'created[gte]=2026-04-10', 'From Apr 10, 2026'],
  [date, 'created[gte]=2026-04-10&created[lt]=2026-05-01T10:00:00Z', 'From Apr 10, 2026 · Before 2026-05-01T10:00:00Z'],
  [date, 'created[gte]=2026-04-10&created[lte]=2026-04-09', 'From Apr 10, 2026 · To Apr 9, 2026'],
  [date, 'created[gte]=2026-13-45', 'From 2026-13-45'],
  [date, 'period=7d', '7 days'],
  [date, '', undefined],
  [amount, 'amount[gte]=1000&currency=eur', 'At least €1,000.00'],
  [amount, 'amount[gte]=250&amount[lte]=1000&currency=JPY', '¥250 – ¥1,000'],
  [amount, 'amount[gte]=1000&currency=cad', 'At least CA$1,000.00'],
  [amount, 'amount[gte]=12.505&currency=eur', 'At least €12.505'],
  [amount, 'amount[lte]=1000.5', 'At most 1,000.5'],
  [amount, 'amount[lte]=1000&currency=-', 'At most 1,000 No currency'],
  [amount, 'amount[lte]=x&currency=eur', 'At most x'],
  [amount, 'currency=eur', 'EUR'],
])('describes %o with the query %s as %s', (filter, query, text) => {
  expect(describeFilter(filter, new URLSearchParams(query))).toBe(text)
})
