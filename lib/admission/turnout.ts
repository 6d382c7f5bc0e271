/** Reads the check-in counts: guests per ticket type, and scans per device and outcome. Database triggers keep them up to date. */
import { sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { admissionCounts, bookings, devices, pages, scanCounts, ticketCounts, tickets, type validationAttempts } from '@/db/schema'
import { bookingIdOf } from '../catalog/booking-id'
import { instantText } from '../core/sql'

type Counts = {
  /** The number of paid tickets (`sold`), and how many of them have guests who are checked in or have left (`attended`). */
  sold: number
  attended: number
  /** The number of people inside, including those whom a device let in offline with copied or canceled tickets or unknown codes. */
  inside: number
}

/** The number of scans by outcome; outcomes without scans are absent. */
type Outcomes = Partial<Record<typeof validationAttempts.$inferSelect.outcome, number>>

export type Turnout = Counts & {
  /** When the event starts and ends, in ISO 8601; null if unknown, or if the counts are for all events. */
  startsAt: string | null
  endsAt: string | null
  /** The maximum number of people inside; null if unlimited, or if the counts are for all events. */
  capacity: number | null
  /** The counts per ticket type. The name is the type's ID if no name is found in a booking. Tickets without a type have an empty ID. */
  types: (Counts & { id: string; name: string })[]
  scans: Outcomes
  /** The scans of each check-in device, sorted by name. Scans by users and API keys are counted under an empty ID. */
  devices: { id: string; name: string; scans: Outcomes }[]
  /** The number of admissions in each of the last 15 clock minutes, oldest first. The last minute is still in progress. */
  perMinute: number[]
}

/** The maximum number of tickets per type to search for the type's name in their bookings. */
const SAMPLES = 10
const MINUTES = 15

type Row = Pick<Turnout, 'startsAt' | 'endsAt' | 'capacity'> & Record<'types' | 'devices' | 'minutes', string | null>

/** Returns the counts for one event or all events. @param pageId the event; undefined for all events */
export async function countTurnout(seller: string, pageId: string | undefined): Promise<Turnout> {
  const eventFilter = pageId === undefined ? sql`` : sql`and page_id = ${pageId}`
  const [row] = await database().query<Row>(sql`
    with counts as materialized (
      select ticket_type_id as id, sum(sold)::int as sold, sum(attended)::int as attended, sum(people)::int as inside,
        (array_agg(distinct ticket_id))[1:${sql.raw(String(SAMPLES))}] as samples
      from ${ticketCounts} where seller_id = ${seller} ${eventFilter} group by 1 having sum(sold) > 0 or sum(people) > 0
    ), types as (
      select counts.id, coalesce((
        select line ->> 'name' from ${tickets} as ticket
        join ${bookings} as booking on booking.seller_id = ticket.seller_id and booking.id = ${bookingIdOf(sql`ticket`)},
        json_array_elements(booking.record -> 'tickets') as line
        where ticket.seller_id = ${seller} and ticket.id = any(counts.samples) and line ->> 'ticketTypeId' = counts.id
        limit 1), counts.id) as name, sold, attended, inside
      from counts order by sold desc, id
    ), scans as (
      select coalesce(device.id, '') as id, coalesce(device.name, '') as name, outcome, sum(scans)::int as scans
      from ${scanCounts} left join ${devices} as device on device.seller_id = ${seller} and device.id = actor_id
      where ${scanCounts.sellerId} = ${seller} ${eventFilter} group by 1, 2, 3 having sum(scans) > 0
    ), by_device as (
      select id, name, json_object_agg(outcome, scans order by outcome) as scans from scans group by id, name order by name, id
    ), minutes as (
      select floor(extract(epoch from now() - minute) / 60)::int as ago, entries from (
        select minute, sum(admissions)::int as entries from ${admissionCounts}
        where seller_id = ${seller} and minute > now() - make_interval(mins => ${MINUTES}) ${eventFilter} group by 1) as recent
    )
    select (select json_agg(types)::text from types) as types, (select json_agg(by_device)::text from by_device) as devices,
      (select json_object_agg(ago, entries)::text from minutes) as minutes,
      ${instantText(sql`event.starts_at`)} as "startsAt", ${instantText(sql`event.ends_at`)} as "endsAt", event.capacity
    from (select 1) as single_row left join ${pages} as event on event.seller_id = ${seller} and event.id = ${pageId ?? null}`)
  if (!row) throw new Error('The query for the counts returned no row.')
  const { startsAt, endsAt, capacity } = row
  const types = JSON.parse(row.types ?? '[]') as Turnout['types']
  const byDevice = JSON.parse(row.devices ?? '[]') as Turnout['devices']
  const minutes = JSON.parse(row.minutes ?? '{}') as Record<number, number>
  const sum = (name: keyof Counts) => types.reduce((total, count) => total + count[name], 0)
  const scans: Outcomes = {}
  for (const device of byDevice) {
    for (const [outcome, count] of Object.entries(device.scans) as [keyof Outcomes, number][])
      scans[outcome] = (scans[outcome] ?? 0) + count
  }
  return {
    ...{ startsAt, endsAt, capacity, types, scans, devices: byDevice },
    ...{ sold: sum('sold'), attended: sum('attended'), inside: sum('inside') },
    perMinute: Array.from({ length: MINUTES }, (_, index) => minutes[MINUTES - 1 - index] ?? 0),
  }
}
