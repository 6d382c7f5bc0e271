/** Tests the bars of the revenue chart, the currency and the links of today's metrics, and the overview's URL. */
import { describe, expect, it } from 'vitest'
import { NO_CURRENCY } from '@/lib/core/no-currency'
import { getBars } from '@/lib/reports/date-range'
import type { CurrencySales } from '@/lib/reports/sales'
import { getAxisMaximum, toBuckets } from './buckets'
import { Tiles } from './tiles'
import { chooseTodayCurrency, daysHref, isSelectedCurrency, parseView, viewHref } from './view'

const DAY_MS = 86_400_000

/**
 * Returns bars with 1, 2, 3, … orders for a range that ends today, on 2026-06-30. The revenue of each bar equals its number of orders.
 *
 * @param bookings the number of bookings among each bar's orders
 */
function makeBuckets(span: number, bookings: number[] = []) {
  const date = (daysAgo: number) => new Date(Date.parse('2026-06-30') - daysAgo * DAY_MS).toISOString().slice(0, 10)
  const dates = Array.from({ length: 2 * span }, (_, index) => date(2 * span - 1 - index))
  const revenue = getBars(span).map((_, index) => index + 1)
  const noSales = { revenue: 0, orders: 0, refunds: 0 }
  const sales: CurrencySales = {
    ...{ currency: 'EUR', current: noSales, previous: noSales, pages: [] },
    ...{ revenue, revenueBefore: revenue, orders: revenue, bookings },
  }
  return toBuckets(sales, { span, dates, starts: [], today: { date: '2026-06-30', start: '', end: '' } })
}

describe('toBuckets', () => {
  it.each([
    [1, 1, 1],
    [92, 92, 1],
    [93, 14, 7],
    [365, 53, 7],
  ])('divides %d days into %d bars, the last of which ends today and is incomplete', (span, bars, days) => {
    const buckets = makeBuckets(span)
    expect(buckets).toHaveLength(bars)
    const last = { first: buckets.at(-1)?.first, last: '2026-06-30', revenue: bars, orders: bars, before: bars, isPartial: true }
    expect(buckets.at(-1)).toMatchObject(last)
    expect(Date.parse(String(last.last)) - Date.parse(String(last.first))).toBe((days - 1) * DAY_MS)
    expect(buckets.filter(({ isPartial }) => isPartial)).toHaveLength(1)
    for (const [index, { first }] of buckets.slice(1).entries())
      expect(Date.parse(first) - Date.parse(String(buckets[index]?.last))).toBe(DAY_MS)
  })
})

it('a bar links to the list that contains most of its orders, or to payments if tied', () => {
  expect(makeBuckets(3, [0, 2, 2]).map(({ list }) => list)).toEqual(['payments', 'bookings', 'bookings'])
  expect(makeBuckets(4, [0, 1, 1, 4]).map(({ list }) => list)).toEqual(['payments', 'payments', 'payments', 'bookings'])
})

it('the link of a bar filters by its days, its currency, the statuses of paid orders, and live mode', () => {
  expect(daysHref('bookings', '2026-06-30', '2026-06-30', 'EUR')).toBe(
    '/bookings?created%5Bgte%5D=2026-06-30&created%5Blte%5D=2026-06-30&status=paid%2Cpartially_paid%2Cpartial_refund&livemode=true&currency=EUR',
  )
})

it('a metric for orders without a currency links only to those orders', () => {
  expect(daysHref('payments', '2026-06-30', '2026-06-30', NO_CURRENCY)).toMatch(/&currency=-$/)
  const sales = { currency: undefined, orders: 1, bookings: 0, revenue: 1000, bookingRevenue: 0 }
  const props = {
    date: '2026-06-30',
    currency: undefined,
    failures: { payments: 0, bookings: 0, since: '' },
    pastDue: 0,
  }
  const tiles = Tiles({ ...props, today: [sales, { ...sales, currency: 'EUR' }], checkedIn: 0, refused: 0 } as Parameters<typeof Tiles>[0])
  expect(JSON.stringify(tiles)).toContain('livemode=true&currency=-')
})

it('today’s metrics use the chosen currency, then the one with the most orders today, then the one with the most orders in the period', () => {
  const [eur, usd, none] = [{ currency: 'EUR' }, { currency: 'USD' }, { currency: undefined }]
  const makeView = (currency?: string) => parseView(currency ? { currency } : {})
  expect(chooseTodayCurrency([eur], [], makeView())).toBe('EUR')
  expect(chooseTodayCurrency([eur], [usd], makeView())).toBe('EUR')
  expect(chooseTodayCurrency([eur], [usd], makeView('usd'))).toBe('USD')
  expect(chooseTodayCurrency([], [usd], makeView())).toBe('USD')
  expect(chooseTodayCurrency([eur, none], [], makeView('-'))).toBeUndefined()
})

it('the currency “-” selects orders without a currency', () => {
  const [eur, usd, none] = [{ currency: 'EUR' }, { currency: 'USD' }, { currency: undefined }]
  expect([eur, usd, none].filter(({ currency }) => isSelectedCurrency(currency, parseView({ currency: '-' })))).toEqual([none])
})

describe('the URL of the overview', () => {
  it.each([
    '/overview',
    '/overview?days=7',
    '/overview?month=this',
    '/overview?month=last&compare=off',
    '/overview?from=2026-03-01&to=2026-03-31&currency=JPY&table=on',
    '/overview?currency=-',
  ])('is parsed and rebuilt unchanged: %s', (href) => {
    const view = parseView(Object.fromEntries(new URLSearchParams(href.split('?')[1] ?? '')))
    expect(viewHref(view)).toBe(href)
  })

  it.each([{ days: '8' }, { from: '2026-02-30', to: '2026-03-01' }, { from: '0000-01-01', to: '0000-01-02' }, { month: 'next' }])(
    'falls back to 30 days for %o',
    (params) => {
      expect(parseView(params).period).toBe(30)
    },
  )

  it.each([
    [
      { from: '2026-03-02', to: '2026-03-01' },
      { from: '2026-03-01', to: '2026-03-02' },
    ],
    [
      { from: '2020-01-01', to: '2026-01-01' },
      { from: '2023-01-02', to: '2026-01-01' },
    ],
    [
      { from: '2023-01-02', to: '2026-01-01' },
      { from: '2023-01-02', to: '2026-01-01' },
    ],
  ])('selects the closest period that can be shown for %o', (params, period) => {
    expect(parseView(params).period).toEqual(period)
  })
})

it.each([
  [0, 2],
  [1, 2],
  [9, 10],
  [11, 12],
  [450, 500],
  [1_201, 1_600],
  [99_999, 100_000],
])('the axis of a chart with %d as its highest amount ends at %d, an even number of minor units', (highest, maximum) => {
  expect(getAxisMaximum(highest)).toBe(maximum)
})
