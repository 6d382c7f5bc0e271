/** Counts today's check-ins per event. Reads the primary, because owners check it right after a check-in. */
import { sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { ticketCounts, tickets, validationAttempts } from '@/db/schema'
import type { DateRange } from './date-range'

export type TodayCheckIns = {
  /** Undefined for tickets without a checkout page. */
  pageId: string | undefined
  /** The tickets that were admitted today, each once, and the scans that were rejected. */
  admitted: number
  refused: number
  /** The number of people inside, since any day, and of the event's paid tickets. */
  inside: number
  sold: number
}

const REFUSED = sql`('already_checked_in', 'canceled', 'other_event')`

/** Returns the events with scans today, busiest first. Scans of unknown codes do not belong to an event and are not counted. */
export async function loadTodayCheckIns(seller: string, { today }: DateRange): Promise<TodayCheckIns[]> {
  const rows = await database().use(({ rows }) =>
    rows<Omit<TodayCheckIns, 'pageId'> & { pageId: string | null }>(sql`
      with today as (
        select ${tickets.pageId} as page_id, count(distinct ${validationAttempts.ticketId}) filter (where ${validationAttempts.outcome} = 'admitted')::int as admitted,
          count(*) filter (where ${validationAttempts.outcome} in ${REFUSED})::int as refused
        from ${validationAttempts} join ${tickets} on ${tickets.sellerId} = ${seller} and ${tickets.id} = ${validationAttempts.ticketId}
        where ${validationAttempts.sellerId} = ${seller} and ${validationAttempts.at} >= ${today.start}::timestamptz
          and ${tickets.livemode} is distinct from false
        group by 1
      )
      select today.page_id as "pageId", admitted, refused, event.inside, event.sold from today, lateral (
        select coalesce(sum(${ticketCounts.sold}), 0)::int as sold, coalesce(sum(${ticketCounts.people}), 0)::int as inside
        from ${ticketCounts} where ${ticketCounts.sellerId} = ${seller} and ${ticketCounts.pageId} = coalesce(today.page_id, '')
      ) as event
      where admitted + refused > 0 order by admitted desc, today.page_id`),
  )
  return rows.map(({ pageId, ...counts }) => ({ ...counts, pageId: pageId ?? undefined }))
}
