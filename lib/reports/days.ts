/** The days that an overview is about: so many until today in the seller's time zone, and as many before them. */
import { sql } from 'drizzle-orm'
import { database } from '@/db/client'

export const SPANS = [30, 90, 365] as const
export type Span = (typeof SPANS)[number]

export type Days = {
  span: Span
  /** `YYYY-MM-DD`, twice the span; today is the last. */
  days: string[]
  /** When each of them begins and, last, when today ends; ISO 8601. */
  starts: string[]
}

export const isSpan = (days: number): days is Span => (SPANS as readonly number[]).includes(days)

/** PostgreSQL knows when a day begins where midnight does not exist. */
export async function loadDays(timeZone: string, span: Span): Promise<Days> {
  const rows = await database().use(({ rows }) =>
    rows<{ day: string; starts: string }>(sql`
      select to_char(day, 'YYYY-MM-DD') as day, to_char(day at time zone ${timeZone} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as starts
      from generate_series((now() at time zone ${timeZone})::date::timestamp - make_interval(days => ${2 * span - 1}),
        (now() at time zone ${timeZone})::date::timestamp + interval '1 day', interval '1 day') as day order by 1`),
  )
  return { span, days: rows.slice(0, -1).map(({ day }) => day), starts: rows.map(({ starts }) => starts) }
}

/** When the span begins, when the one before it does, and when it ends. */
export const boundsOf = ({ span, starts }: Days) => ({
  before: String(starts[0]),
  begin: String(starts[span]),
  today: String(starts.at(-2)),
  end: String(starts.at(-1)),
})
