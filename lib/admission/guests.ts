/** Tickets as listed on the check-in page: the guest, the ticket type, and the check-in status. */
import { type SQL, sql } from 'drizzle-orm'
import { bookings, checkIns, pages, sellers } from '@/db/schema'
import { bookingIdOf } from '../catalog/booking-id'
import type { EntryPolicy } from '../catalog/pages'
import type { CheckIn, Ticket } from '../catalog/ticket'
import { instantText } from '../core/sql'
import { findUse, formatCheckInTime } from './decide'
import type { ScanSource } from './scan-source'

export type Guest = {
  /** The ticket's ID. */
  id: string
  name?: string
  typeId?: string
  /** The name of the ticket's type. */
  type?: string
  pageId?: string
  /** The name of the ticket's event. */
  event?: string
  order?: string
  shortId?: string
  status: Ticket['status']
  checkInStatus: Ticket['checkInStatus']
  /** Whether the ticket is valid and its event's entry policy allows a check-in now. */
  canCheckIn: boolean
  /** The latest entry of its history. */
  last?: { status: CheckIn['status']; method: CheckIn['method']; source?: ScanSource; when: string }
}

/** A row of `guestQuery`. */
export type GuestRow = Record<'name' | 'typeId' | 'type' | 'pageId' | 'event' | 'order' | 'shortId', string | null> &
  Pick<Guest, 'id' | 'status' | 'checkInStatus'> & {
    entryPolicy: EntryPolicy
    timeZone: string
    lastStatus: CheckIn['status'] | null
    lastMethod: CheckIn['method'] | null
    lastSource: ScanSource | null
    lastDay: string | null
    lastAt: string | null
  }

export function toGuest(row: GuestRow): Guest {
  const { id, name, typeId, type, pageId, event, order, shortId, status, checkInStatus, entryPolicy, timeZone } = row
  const { lastStatus, lastMethod, lastSource, lastDay, lastAt } = row
  return {
    id,
    ...(name ? { name } : {}),
    ...(typeId ? { typeId } : {}),
    ...(type ? { type } : {}),
    ...(pageId ? { pageId } : {}),
    ...(event ? { event } : {}),
    ...(order ? { order } : {}),
    ...(shortId ? { shortId } : {}),
    status,
    checkInStatus,
    canCheckIn: status === 'PAID' && findUse({ checkInStatus, entryPolicy, lastMethod }) === undefined,
    ...(lastStatus && lastMethod && lastDay
      ? {
          last: {
            status: lastStatus,
            method: lastMethod,
            ...(lastSource ? { source: lastSource } : {}),
            when: formatCheckInTime(lastDay, lastAt ? new Date(lastAt) : undefined, timeZone),
          },
        }
      : {}),
  }
}

/**
 * Returns the query for rows of type `GuestRow`. Ticket type names are stored only in the booking's line items.
 *
 * @param selected a limited query for rows of `tickets` with a `rank`. The result is sorted by rank, then newest first
 */
export const guestQuery = (selected: SQL): SQL => sql`
  select one.id, one.record ->> 'customerName' as name, one.record ->> 'ticketTypeId' as "typeId", (
      select line ->> 'name' from ${bookings} as booking, json_array_elements(booking.record -> 'tickets') as line
      where booking.seller_id = one.seller_id and booking.id = ${bookingIdOf(sql`one`)}
        and line ->> 'ticketTypeId' = one.record ->> 'ticketTypeId' limit 1) as type,
    one.page_id as "pageId", page.name as event, one.order_id as "order", one.record ->> 'ticketShortId' as "shortId",
    one.status, one.check_in_status as "checkInStatus", coalesce(page.entry_policy, 'single') as "entryPolicy",
    seller.time_zone as "timeZone", last.status as "lastStatus", last.method as "lastMethod", last.source as "lastSource",
    to_char(last.day, 'YYYY-MM-DD') as "lastDay", ${instantText(sql`last.at`)} as "lastAt"
  from (${selected}) as one
  join ${sellers} as seller on seller.id = one.seller_id
  left join ${pages} as page on page.seller_id = one.seller_id and page.id = one.page_id
  left join lateral (
    select * from ${checkIns} as entry where entry.seller_id = one.seller_id and entry.ticket_id = one.id order by entry.sequence desc limit 1
  ) as last on true
  order by one.rank, one.created_at desc, one.id desc`
