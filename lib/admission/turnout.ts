/** What a door wants to know besides who may in: how many are, of how many, by the type of ticket. */
import { sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { bookings, tickets } from '@/db/schema'

export type Turnout = {
  inside: number
  /** Tickets that are paid for. */
  sold: number
  /** A type that no booking names has its id for a name; tickets without one have neither. */
  types: { id: string; name: string; inside: number; sold: number }[]
}

/** A type's name stands in the bookings' lines alone; the newest booking that has it gives it. */
async function typeNames(seller: string, ids: string[]): Promise<Map<string, string>> {
  const found = await database().use(({ rows }) =>
    rows<{ id: string; name: string | null }>(sql`
      select type.id, (
        select line ->> 'name' from ${tickets} as one
        join ${bookings} as booking on booking.seller_id = one.seller_id and booking.id = one.record ->> 'chargeId',
        json_array_elements(booking.record -> 'tickets') as line
        where one.seller_id = ${seller} and one.record ->> 'ticketTypeId' = type.id and line ->> 'ticketTypeId' = type.id
        limit 1) as name
      from json_array_elements_text(${JSON.stringify(ids)}::text::json) as type (id)`),
  )
  return new Map(found.flatMap(({ id, name }) => (name === null ? [] : [[id, name]])))
}

/** @param pageId the door's event; every event of the seller where it is undefined */
export async function countTurnout(seller: string, pageId: string | undefined): Promise<Turnout> {
  const counts = await database().use(({ rows }) =>
    rows<{ type: string; sold: number; inside: number }>(sql`
      select coalesce(${tickets.record} ->> 'ticketTypeId', '') as type, count(*)::int as sold,
        count(*) filter (where ${tickets.checkInStatus} = 'CHECKEDIN')::int as inside
      from ${tickets}
      where ${tickets.sellerId} = ${seller} and ${tickets.status} = 'PAID' ${pageId === undefined ? sql`` : sql`and ${tickets.pageId} = ${pageId}`}
      group by 1 order by 2 desc`),
  )
  const names =
    counts.length > 0
      ? await typeNames(
          seller,
          counts.map(({ type }) => type),
        )
      : new Map<string, string>()
  const sum = (name: 'sold' | 'inside') => counts.reduce((total, count) => total + count[name], 0)
  return {
    inside: sum('inside'),
    sold: sum('sold'),
    types: counts.map(({ type, sold, inside }) => ({ id: type, name: names.get(type) ?? type, sold, inside })),
  }
}
