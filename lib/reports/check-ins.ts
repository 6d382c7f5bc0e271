/** Counts today's check-ins. Reads the primary, because owners look at the counts right after a check-in. */
import { sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { ticketCounts, validationAttempts } from '@/db/schema'
import { refusedCondition } from '../listing/list-refusals'
import { ticketTotal, toTicketQuery } from '../listing/ticket-table'
import type { DateRange } from './date-range'

type TodayCheckIns = {
  /** The number of tickets that were checked in today. Equals the total of the ticket table with the filter `checkedIn=today`. */
  checkedIn: number
  /** The events with admissions or refusals today, those with the most admissions first. */
  events: EventCheckIns[]
}

export type EventCheckIns = {
  /** The event of the door, or of the ticket if the door is for all events; undefined if neither is known. */
  pageId: string | undefined
  /** The number of tickets admitted today. Each ticket is counted once. */
  admitted: number
  /** The number of scans refused today. */
  refused: number
  /** The number of people inside, including those admitted on earlier days. */
  inside: number
  /** The number of the event's paid tickets. */
  sold: number
}

/**
 * Counts today's check-ins, in total and per event. A scan of an unknown code counts toward the event of its door, if the door has one.
 *
 * @param timeZone the shop's time zone, which determines when today starts
 */
export async function loadTodayCheckIns(seller: string, timeZone: string, { today }: DateRange): Promise<TodayCheckIns> {
  const total = ticketTotal(toTicketQuery(seller, { limit: 1, checkedIn: 'today' }, timeZone))
  const [counted, events] = await database().use(({ rows }) =>
    Promise.all([
      rows<{ checkedIn: number }>(sql`select ${total} as "checkedIn"`),
      rows<Omit<EventCheckIns, 'pageId'> & { pageId: string | null }>(sql`
        with today as (
          select ${validationAttempts.pageId} as page_id,
            count(distinct ${validationAttempts.ticketId}) filter (where outcome = 'admitted')::int as admitted,
            count(*) filter (where ${refusedCondition})::int as refused
          from ${validationAttempts}
          where ${validationAttempts.sellerId} = ${seller} and ${validationAttempts.at} >= ${today.start}::timestamptz
          group by 1
        )
        select today.page_id as "pageId", admitted, refused, event.inside, event.sold from today, lateral (
          select coalesce(sum(${ticketCounts.sold}), 0)::int as sold, coalesce(sum(${ticketCounts.people}), 0)::int as inside
          from ${ticketCounts} where ${ticketCounts.sellerId} = ${seller} and ${ticketCounts.pageId} = coalesce(today.page_id, '')
        ) as event
        where admitted + refused > 0 order by admitted desc, refused desc, today.page_id`),
    ]),
  )
  return {
    checkedIn: counted[0]?.checkedIn ?? 0,
    events: events.map(({ pageId, ...counts }) => ({ ...counts, pageId: pageId ?? undefined })),
  }
}
