/** The bars of the revenue chart: one per day, or one per week if there are many days. */
import { formatDay, formatDays } from '@/app/copy/format'
import { type DateRange, getBars } from '@/lib/reports/date-range'
import type { CurrencySales } from '@/lib/reports/sales'

/** A bar of the chart. The first and last days are formatted as `YYYY-MM-DD`; amounts are in minor units. */
export type Bucket = {
  first: string
  last: string
  /** The list that contains most of the bar's orders; `payments` if tied. */
  list: 'payments' | 'bookings'
  /** The days, formatted for display. */
  label: string
  revenue: number
  orders: number
  /** The revenue on the corresponding days of the previous period. */
  before: number
  /** Whether the bar includes today and is therefore incomplete. */
  isPartial: boolean
}

/** Returns the bars, oldest first. */
export function toBuckets({ revenue, revenueBefore, orders, bookings }: CurrencySales, { dates, span, today }: DateRange): Bucket[] {
  const current = dates.slice(span)
  return getBars(span).map((from, index, bars) => {
    const [first, last] = [String(current[from]), String(current[(bars[index + 1] ?? span) - 1])]
    const [orderCount = 0, bookingCount = 0] = [orders[index], bookings[index]]
    return {
      first,
      last,
      list: bookingCount > orderCount - bookingCount ? 'bookings' : 'payments',
      label: first === last ? formatDay(first) : formatDays(first, last),
      revenue: revenue[index] ?? 0,
      orders: orderCount,
      before: revenueBefore[index] ?? 0,
      isPartial: last === today.date,
    }
  })
}

/** The possible axis maxima, each multiplied by a power of ten. */
const AXIS_MAXIMA = [1, 1.2, 1.6, 2, 3, 4, 5, 6, 8, 10]

/**
 * Returns the smallest round axis maximum greater than or equal to `highest`.
 *
 * @param highest the amount of the highest bar, in minor units
 * @returns an even number, because half of it is labeled too
 */
export function getAxisMaximum(highest: number): number {
  if (highest <= 0) return 2
  const power = 10 ** Math.floor(Math.log10(highest))
  return AXIS_MAXIMA.map((step) => Math.round(step * power)).find((maximum) => maximum >= highest && maximum % 2 === 0) ?? 10 * power
}
