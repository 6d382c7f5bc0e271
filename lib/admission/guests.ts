/** Tickets as listed on the check-in page: the guest, the ticket type, and the check-in status. */
import { type SQL, sql } from 'drizzle-orm'
import { checkIns, pages, sellers } from '@/db/schema'
import { ticketTypeName } from '../catalog/booking-id'
import type { EntryPolicy } from '../catalog/pages'
import type { CheckIn, Ticket } from '../catalog/ticket'
import { instantText } from '../core/sql'
import { findUse, formatCheckInTime } from './decide'
import type { ScanSource } from './scan-source'

export type Guest = {
  /** The ticket's ID. */
  id: string
  name?: string
  /** The ID of the ticket's type. */
  typeId?: string
  /** The name of the ticket's type. */
  type?: string
  pageId?: string
  /** The name of the ticket's event. */
  event?: string
  /** The order ID. */
  order?: string
  shortId?: string
  status: Ticket['status']
  checkInStatus: Ticket['checkInStatus']
  /** Whether the ticket is paid and the event's entry policy allows a check-in now. */
  canCheckIn: boolean
  /**
   * The latest entry of the ticket's history. `when` is the time in the seller's time zone as text, such as `November 20, 2026 at 19:05`,
   * or only the day if the time is unknown.
   */
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
    /** `YYYY-MM-DD`, in the seller's time zone. */
    lastDay: string | null
    /** ISO 8601; null if only the day is known. */
    lastAt: string | null
  }

/** Converts a row to a guest, without the members that are null or empty. */
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
 * Returns a query for `GuestRow`s, sorted by rank, then newest first.
 *
 * @param selected a query for a limited number of rows of `tickets`, each with a `rank`
 */
export const guestQuery = (selected: SQL): SQL => sql`
  select ticket.id, ticket.record ->> 'customerName' as name, ticket.record ->> 'ticketTypeId' as "typeId", ${ticketTypeName(sql`ticket`)} as type,
    ticket.page_id as "pageId", page.name as event, ticket.order_id as "order", ticket.record ->> 'ticketShortId' as "shortId",
    ticket.status, ticket.check_in_status as "checkInStatus", coalesce(page.entry_policy, 'single') as "entryPolicy",
    seller.time_zone as "timeZone", last.status as "lastStatus", last.method as "lastMethod", last.source as "lastSource",
    to_char(last.day, 'YYYY-MM-DD') as "lastDay", ${instantText(sql`last.at`)} as "lastAt"
  from (${selected}) as ticket
  join ${sellers} as seller on seller.id = ticket.seller_id
  left join ${pages} as page on page.seller_id = ticket.seller_id and page.id = ticket.page_id
  left join lateral (
    select * from ${checkIns} as entry where entry.seller_id = ticket.seller_id and entry.ticket_id = ticket.id order by entry.sequence desc limit 1
  ) as last on true
  order by ticket.rank, ticket.created_at desc, ticket.id desc`
