/** The date range of an overview: a number of days up to today in the seller's time zone, and the same number of days before them. */
import { sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { dayText, instantText } from '../core/sql'

export const SPANS = [30, 90, 365] as const
export type Span = (typeof SPANS)[number]

export type DateRange = {
  span: Span
  /** The dates of the previous and the current span, as `YYYY-MM-DD`. Today is the last. */
  dates: string[]
  /** The instant at which each date starts, followed by the end of today. */
  starts: string[]
}

export const isSpan = (value: number): value is Span => (SPANS as readonly number[]).includes(value)

/** Returns the date range. PostgreSQL computes it, because it handles days without a midnight. */
export async function loadDateRange(timeZone: string, span: Span): Promise<DateRange> {
  const rows = await database().use(({ rows }) =>
    rows<{ day: string; starts: string }>(sql`
      select ${dayText(sql`day`)} as day, ${instantText(sql`(day at time zone ${timeZone})`)} as starts
      from generate_series((now() at time zone ${timeZone})::date::timestamp - make_interval(days => ${2 * span - 1}),
        (now() at time zone ${timeZone})::date::timestamp + interval '1 day', interval '1 day') as day order by 1`),
  )
  return { span, dates: rows.slice(0, -1).map(({ day }) => day), starts: rows.map(({ starts }) => starts) }
}

/** Returns the start of the previous span, of the current span and of today, and the end of today. */
export const getBounds = ({ span, starts }: DateRange) => ({
  before: String(starts[0]),
  begin: String(starts[span]),
  today: String(starts.at(-2)),
  end: String(starts.at(-1)),
})
