/** Reads the counts of checked-in guests and tickets per ticket type, which triggers maintain. */
import { sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { bookings, ticketCounts, tickets } from '@/db/schema'

export type Turnout = {
  inside: number
  /** The number of paid tickets. */
  sold: number
  /** The name of the ticket type, or its ID if no booking contains the name. Tickets without a type are counted under an empty ID. */
  types: { id: string; name: string; inside: number; sold: number }[]
}

/** The name of a type is looked up in the bookings of up to this many of its tickets. */
const SAMPLES = 10

/** @param pageId the door's event; undefined if it checks in all events */
export async function countTurnout(seller: string, pageId: string | undefined): Promise<Turnout> {
  const types = await database().use(({ rows }) =>
    rows<Turnout['types'][number]>(sql`
      with counts as materialized (
        select ${ticketCounts.ticketTypeId} as id, sum(${ticketCounts.sold})::int as sold, sum(${ticketCounts.inside})::int as inside,
          (array_agg(distinct ${ticketCounts.ticketId}))[1:${sql.raw(String(SAMPLES))}] as samples
        from ${ticketCounts}
        where ${ticketCounts.sellerId} = ${seller} ${pageId === undefined ? sql`` : sql`and ${ticketCounts.pageId} = ${pageId}`}
        group by 1 having sum(${ticketCounts.sold}) > 0
      )
      select counts.id, counts.sold, counts.inside, coalesce((
        select line ->> 'name' from ${tickets} as one
        join ${bookings} as booking on booking.seller_id = one.seller_id and booking.id = one.record ->> 'chargeId',
        json_array_elements(booking.record -> 'tickets') as line
        where one.seller_id = ${seller} and one.id = any(counts.samples) and line ->> 'ticketTypeId' = counts.id
        limit 1), counts.id) as name
      from counts order by counts.sold desc, counts.id`),
  )
  const sum = (name: 'sold' | 'inside') => types.reduce((total, count) => total + count[name], 0)
  return { inside: sum('inside'), sold: sum('sold'), types }
}
