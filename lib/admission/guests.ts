/** Tickets as the people at a door know them: whose, of what kind, and whether the guest is in. */
import { type SQL, sql } from 'drizzle-orm'
import type { Connection } from '@/db/client'
import { getPool } from '@/db/pools'
import { bookings, checkIns, pages, sellers, tickets } from '@/db/schema'
import type { CheckIn, Ticket } from '../catalog/ticket'
import { instantText } from '../core/sql'
import { sayWhen } from './check-in-time'

export type Guest = {
  /** The ticket's id. */
  id: string
  name?: string
  /** What its type is called. */
  type?: string
  pageId?: string
  /** What its page is called. */
  event?: string
  order?: string
  shortId?: string
  status: Ticket['status']
  checkInStatus: Ticket['checkInStatus']
  /** Whether its event lets a guest in again and again. */
  reentry: boolean
  /** The last entry of its history. */
  last?: { status: CheckIn['status']; method: CheckIn['method']; when: string }
}

type GuestRow = Record<'name' | 'type' | 'pageId' | 'event' | 'order' | 'shortId', string | null> &
  Pick<Guest, 'id' | 'status' | 'checkInStatus' | 'reentry'> & {
    timeZone: string
    lastStatus: CheckIn['status'] | null
    lastMethod: CheckIn['method'] | null
    lastDay: string | null
    lastAt: string | null
  }

/** The name of a ticket's type stands in its booking's lines alone. @param ticket what the ticket's row is called in the query */
const typeName = (ticket: SQL) => sql`(
  select line ->> 'name' from ${bookings} as booking, json_array_elements(booking.record -> 'tickets') as line
  where booking.seller_id = ${ticket}.seller_id and booking.id = ${ticket}.record ->> 'chargeId'
    and line ->> 'ticketTypeId' = ${ticket}.record ->> 'ticketTypeId' limit 1)`

function toGuest(row: GuestRow): Guest {
  const { id, name, type, pageId, event, order, shortId, status, checkInStatus, reentry, timeZone } = row
  const { lastStatus, lastMethod, lastDay, lastAt } = row
  return {
    id,
    ...(name ? { name } : {}),
    ...(type ? { type } : {}),
    ...(pageId ? { pageId } : {}),
    ...(event ? { event } : {}),
    ...(order ? { order } : {}),
    ...(shortId ? { shortId } : {}),
    status,
    checkInStatus,
    reentry,
    ...(lastStatus && lastMethod && lastDay
      ? { last: { status: lastStatus, method: lastMethod, when: sayWhen(lastDay, lastAt ? new Date(lastAt) : undefined, timeZone) } }
      : {}),
  }
}

/** @param picked a query of rows of `tickets`, bounded, each with a `rank`: lower ones come first, then newer ones */
export async function readGuests({ rows }: Connection, picked: SQL): Promise<Guest[]> {
  const one = sql`one`
  const found = await rows<GuestRow>(sql`
    select one.id, one.record ->> 'customerName' as name, ${typeName(one)} as type, one.page_id as "pageId", page.name as event,
      one.order_id as "order", one.record ->> 'ticketShortId' as "shortId", one.status, one.check_in_status as "checkInStatus",
      coalesce(page.entry_policy = 'multiple', false) as reentry, seller.time_zone as "timeZone",
      last.status as "lastStatus", last.method as "lastMethod", to_char(last.day, 'YYYY-MM-DD') as "lastDay", ${instantText(sql`last.at`)} as "lastAt"
    from (${picked}) as one
    join ${sellers} as seller on seller.id = one.seller_id
    left join ${pages} as page on page.seller_id = one.seller_id and page.id = one.page_id
    left join lateral (
      select * from ${checkIns} as entry where entry.seller_id = one.seller_id and entry.ticket_id = one.id order by entry.sequence desc limit 1
    ) as last on true
    order by one.rank, one.created_at desc, one.id desc`)
  return found.map(toGuest)
}

/** What the type of a ticket is called, or undefined where its booking does not say. */
export async function typeNameOf(seller: string, ticketId: string): Promise<string | undefined> {
  const [found] = await getPool('doors').use(({ rows }) =>
    rows<{ name: string | null }>(sql`
      select ${typeName(sql`one`)} as name from ${tickets} as one where one.seller_id = ${seller} and one.id = ${ticketId}`),
  )
  return found?.name ?? undefined
}
