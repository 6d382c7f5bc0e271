/** What happened at the doors today, event by event; never read on a replica, for it is looked at right after an admission. */
import { sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { tickets, validationAttempts } from '@/db/schema'
import { boundsOf, type Days } from './days'

export type DoorToday = {
  /** Absent for tickets of no page. */
  pageId: string | undefined
  /** Guests let in today, and scans that were refused. */
  admitted: number
  refused: number
  /** How many of the event's paid tickets are in, whenever they came. */
  inside: number
  sold: number
}

const REFUSED = sql`('already_checked_in', 'canceled', 'other_event')`

/** The events that had a scan today, the busiest first. A code that no ticket has belongs to no event, and is left out. */
export async function loadDoorToday(seller: string, days: Days): Promise<DoorToday[]> {
  const rows = await database().use(({ rows }) =>
    rows<Omit<DoorToday, 'pageId'> & { pageId: string | null }>(sql`
      with today as (
        select ${tickets.pageId} as page_id, count(*) filter (where ${validationAttempts.outcome} = 'admitted')::int as admitted,
          count(*) filter (where ${validationAttempts.outcome} in ${REFUSED})::int as refused
        from ${validationAttempts} join ${tickets} on ${tickets.sellerId} = ${seller} and ${tickets.id} = ${validationAttempts.ticketId}
        where ${validationAttempts.sellerId} = ${seller} and ${validationAttempts.at} >= ${boundsOf(days).today}::timestamptz
          and ${tickets.record} ->> 'livemode' is distinct from 'false'
        group by 1
      )
      select today.page_id as "pageId", admitted, refused, event.inside, event.sold from today, lateral (
        select count(*)::int as sold, count(*) filter (where ${tickets.checkInStatus} = 'CHECKEDIN')::int as inside
        from ${tickets} where ${tickets.sellerId} = ${seller} and ${tickets.pageId} is not distinct from today.page_id and ${tickets.status} = 'PAID'
      ) as event
      where admitted + refused > 0 order by admitted desc, today.page_id`),
  )
  return rows.map(({ pageId, ...counts }) => ({ ...counts, pageId: pageId ?? undefined }))
}
