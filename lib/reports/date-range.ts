/** Computes the date range of an overview: a period of days in the seller's time zone, and the same number of days before it. */
import { type SQL, sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { dayText, instantText, startOfDay } from '../core/sql'

/** The maximum number of days in a range. */
export const MAX_DAYS = 1096

/** A number of days that end today, a month, or the first and the last day (`YYYY-MM-DD`), inclusive. */
export type Period = number | 'this-month' | 'last-month' | { from: string; to: string }

export type DateRange = {
  /** The number of days in the current period, and in the previous one. */
  span: number
  /** The dates of the previous period, followed by those of the current one, as `YYYY-MM-DD`. */
  dates: string[]
  /** The time at which each date starts, followed by the end of the last date, in ISO 8601. */
  starts: string[]
  /** Today's date, as `YYYY-MM-DD`, and its start and end, in ISO 8601. */
  today: { date: string; start: string; end: string }
}

/** Returns SQL expressions for the first and the last day of a period, neither of them after today. */
function selectPeriodDays(period: Period): [first: SQL, last: SQL] {
  if (typeof period === 'number') return [sql`today - ${period - 1}::int`, sql`today`]
  if (period === 'this-month') return [sql`date_trunc('month', today)::date`, sql`today`]
  if (period === 'last-month')
    return [sql`(date_trunc('month', today) - interval '1 month')::date`, sql`(date_trunc('month', today) - interval '1 day')::date`]
  return [sql`least(${period.from}::date, today)`, sql`least(${period.to}::date, today)`]
}

/** Returns the date range of a period. It is computed in PostgreSQL, which handles days that do not start at midnight. */
export async function loadDateRange(timeZone: string, period: Period): Promise<DateRange> {
  const [first, last] = selectPeriodDays(period)
  const rows = await database().query<{ isToday: boolean; day: string; starts: string }>(sql`
    with now as (select (now() at time zone ${timeZone})::date as today), range as (select today, ${first} as first, ${last} as last from now),
      days as (
        select false as is_today, generate_series((first - (last - first + 1))::timestamp, last + 1, interval '1 day') as day from range
        union all select true, generate_series(today::timestamp, today + 1, interval '1 day') from range)
    select is_today as "isToday", ${dayText(sql`day`)} as day, ${instantText(startOfDay(sql`day`, timeZone))} as starts
    from days order by 1, days.day`)
  const range = rows.filter(({ isToday }) => !isToday)
  const [today, tomorrow] = rows.filter(({ isToday }) => isToday)
  if (!today || !tomorrow) throw new Error('The query for the date range did not return today.')
  return {
    span: (range.length - 1) / 2,
    dates: range.slice(0, -1).map(({ day }) => day),
    starts: range.map(({ starts }) => starts),
    today: { date: today.day, start: today.starts, end: tomorrow.starts },
  }
}

/** Returns the start of the previous period, and the start and the end of the current one. */
export const getBounds = ({ span, starts }: DateRange) => ({
  before: String(starts[0]),
  begin: String(starts[span]),
  end: String(starts.at(-1)),
})

/** The maximum number of days in a chart with a bar per day. */
const MAX_DAY_BARS = 92
const WEEK = 7

/**
 * Returns the first day of each bar of the chart, counted from 0. A bar is a day, or a week if there are more than `MAX_DAY_BARS` days. The
 * last week ends with the period, so the first week may be shorter.
 */
export function getBars(span: number): number[] {
  const size = span > MAX_DAY_BARS ? WEEK : 1
  const first = span % size || size
  return Array.from({ length: Math.ceil(span / size) }, (_, bar) => (bar === 0 ? 0 : first + (bar - 1) * size))
}
