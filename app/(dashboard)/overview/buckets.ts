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
