/** The bars of the revenue chart: one per day, or one per week if there are many days. */
import { formatDay, formatDays } from '@/app/_components/cells'
import type { DateRange } from '@/lib/reports/date-range'
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

/** The maximum period, in days, that is shown as daily bars. */
const MAX_DAY_BARS = 92
const WEEK = 7

const sum = (values: number[]) => values.reduce((total, value) => total + value, 0)

/** Returns the bars, oldest first. Weeks end on the last day, so that only the first one can be shorter. */
export function toBuckets({ days, daysBefore, orders, bookings }: CurrencySales, { dates, span, today }: DateRange): Bucket[] {
  const size = span > MAX_DAY_BARS ? WEEK : 1
  const current = dates.slice(span)
  const firstSize = span % size || size
  const count = Math.ceil(span / size)
  return Array.from({ length: count }, (_, at) => {
    const [from, to] = [at === 0 ? 0 : firstSize + (at - 1) * size, firstSize + at * size]
    const [first, last] = [String(current[from]), String(current[to - 1])]
    const [sold, booked] = [sum(orders.slice(from, to)), sum(bookings.slice(from, to))]
    return {
      first,
      last,
      list: booked > sold - booked ? 'bookings' : 'payments',
      label: first === last ? formatDay(first) : formatDays(first, last),
      revenue: sum(days.slice(from, to)),
      orders: sold,
      before: sum(daysBefore.slice(from, to)),
      isPartial: last === today.date,
    }
  })
}
