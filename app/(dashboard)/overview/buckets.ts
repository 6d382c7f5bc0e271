/** The bars of the revenue chart: one per day, or one per week if there are many days. */
import { formatDay, formatDays } from '@/app/_components/cells'
import { type DateRange, getBars } from '@/lib/reports/date-range'
import type { CurrencySales } from '@/lib/reports/sales'

/** A bar. Its days are `YYYY-MM-DD`, its amounts in minor units. */
export type Bucket = {
  first: string
  last: string
  /** The list that contains most of its orders. */
  list: 'payments' | 'bookings'
  label: string
  revenue: number
  orders: number
  /** The revenue of the same days of the previous period. */
  before: number
  /** Whether it contains today, and is therefore not complete. */
  isPartial: boolean
}

/** Returns the bars, oldest first. */
export function toBuckets({ revenue, revenueBefore, orders, bookings }: CurrencySales, { dates, span, today }: DateRange): Bucket[] {
  const current = dates.slice(span)
  return getBars(span).map((from, at, bars) => {
    const [first, last] = [String(current[from]), String(current[(bars[at + 1] ?? span) - 1])]
    const [sold = 0, booked = 0] = [orders[at], bookings[at]]
    return {
      first,
      last,
      list: booked > sold - booked ? 'bookings' : 'payments',
      label: first === last ? formatDay(first) : formatDays(first, last),
      revenue: revenue[at] ?? 0,
      orders: sold,
      before: revenueBefore[at] ?? 0,
      isPartial: last === today.date,
    }
  })
}
