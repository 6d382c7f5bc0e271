/** Counts today's check-ins per event. Reads the primary, because owners look at the counts right after a check-in. */
import { sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { ticketCounts, tickets, validationAttempts } from '@/db/schema'
import { refusedCondition } from '../listing/list-refusals'
import type { DateRange } from './date-range'

export type TodayCheckIns = {
  /** The event of the door, or of the ticket if the door checks in all events; undefined if neither is known. */
  pageId: string | undefined
  /** The number of tickets admitted today, without test tickets. Each ticket is counted once. */
  admitted: number
  /** The number of scans refused today. */
  refused: number
  /** The number of people inside, including those admitted on earlier days. */
  inside: number
  /** The number of the event's paid tickets. */
  sold: number
}

/** Returns the events with scans today, busiest first. A scan of an unknown code counts toward its door's event, if it has one. */
export async function loadTodayCheckIns(seller: string, { today }: DateRange): Promise<TodayCheckIns[]> {
  const rows = await database().use(({ rows }) =>
    rows<Omit<TodayCheckIns, 'pageId'> & { pageId: string | null }>(sql`
      with today as (
        select ${validationAttempts.pageId} as page_id,
          count(distinct ${validationAttempts.ticketId}) filter (where outcome = 'admitted' and ${tickets.livemode} is distinct from false)::int as admitted,
          count(*) filter (where ${refusedCondition})::int as refused
        from ${validationAttempts} left join ${tickets} on ${tickets.sellerId} = ${seller} and ${tickets.id} = ${validationAttempts.ticketId}
        where ${validationAttempts.sellerId} = ${seller} and ${validationAttempts.at} >= ${today.start}::timestamptz
        group by 1
      )
      select today.page_id as "pageId", admitted, refused, event.inside, event.sold from today, lateral (
        select coalesce(sum(${ticketCounts.sold}), 0)::int as sold, coalesce(sum(${ticketCounts.people}), 0)::int as inside
        from ${ticketCounts} where ${ticketCounts.sellerId} = ${seller} and ${ticketCounts.pageId} = coalesce(today.page_id, '')
      ) as event
      where admitted + refused > 0 order by admitted desc, refused desc, today.page_id`),
  )
  return rows.map(({ pageId, ...counts }) => ({ ...counts, pageId: pageId ?? undefined }))
}
