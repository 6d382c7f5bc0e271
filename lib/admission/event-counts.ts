/** Reads the numbers of guests and tickets per event. Database triggers keep these counts up to date. */
import { sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { ticketCounts } from '@/db/schema'

/** The counts of an event, defined as in `Turnout`. */
export type EventCount = { pageId: string; attended: number; inside: number; sold: number }

/** Returns the counts for each of a seller's events that has sold tickets. */
export const countEvents = (seller: string): Promise<EventCount[]> =>
  database().query<EventCount>(sql`
    select ${ticketCounts.pageId} as "pageId", sum(${ticketCounts.attended})::int as attended,
      sum(${ticketCounts.people})::int as inside, sum(${ticketCounts.sold})::int as sold
    from ${ticketCounts} where ${ticketCounts.sellerId} = ${seller} group by 1 having sum(${ticketCounts.sold}) > 0`)
