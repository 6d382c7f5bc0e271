/** The days of an overview: a number of days up to today in the seller's time zone, and as many before them. */
import { sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { dayText, instantText } from '../core/sql'

export const SPANS = [30, 90, 365] as const
export type Span = (typeof SPANS)[number]

export type Days = {
  span: Span
  /** Twice the span, as `YYYY-MM-DD`; today is the last. */
  days: string[]
  /** The instant at which each day starts, followed by the end of today. */
  starts: string[]
}

export const isSpan = (days: number): days is Span => (SPANS as readonly number[]).includes(days)

/** Returns the days, computed by PostgreSQL, which handles days without a midnight. */
export async function loadDays(timeZone: string, span: Span): Promise<Days> {
  const rows = await database().use(({ rows }) =>
    rows<{ day: string; starts: string }>(sql`
      select ${dayText(sql`day`)} as day, ${instantText(sql`(day at time zone ${timeZone})`)} as starts
      from generate_series((now() at time zone ${timeZone})::date::timestamp - make_interval(days => ${2 * span - 1}),
        (now() at time zone ${timeZone})::date::timestamp + interval '1 day', interval '1 day') as day order by 1`),
  )
  return { span, days: rows.slice(0, -1).map(({ day }) => day), starts: rows.map(({ starts }) => starts) }
}

/** The start of the previous span, of this one and of today, and the end of today. */
export const boundsOf = ({ span, starts }: Days) => ({
  before: String(starts[0]),
  begin: String(starts[span]),
  today: String(starts.at(-2)),
  end: String(starts.at(-1)),
})
