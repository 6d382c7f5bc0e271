/** Tickets as listed on the check-in page: the guest, the ticket type, and the check-in status. */
import { type SQL, sql } from 'drizzle-orm'
import { checkIns, pages, sellers } from '@/db/schema'
import { ticketTypeName } from '../catalog/booking-id'
import type { EntryPolicy } from '../catalog/pages'
import type { CheckIn, Ticket } from '../catalog/ticket'
import { instantText } from '../core/sql'
import { findPriorUse, formatCheckInTime } from './decide'
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

/** A row of `guestQuery`, as JSON without nulls. */
export type GuestRow = Omit<Guest, 'canCheckIn' | 'last'> & {
  entryPolicy: EntryPolicy
  timeZone: string
  /** The latest entry of the ticket's history, if there is one. */
  lastStatus?: CheckIn['status']
  lastMethod?: CheckIn['method']
  lastSource?: ScanSource
  /** `YYYY-MM-DD`, in the seller's time zone. */
  lastDay?: string
  /** ISO 8601; absent if only the day is known. */
  lastAt?: string
}

/** Converts a row to a guest. */
export function toGuest({ entryPolicy, timeZone, lastStatus, lastMethod, lastSource, lastDay, lastAt, ...guest }: GuestRow): Guest {
  const { status, checkInStatus } = guest
  const canCheckIn = status === 'PAID' && findPriorUse({ checkInStatus, entryPolicy, lastMethod }) === undefined
  if (!lastStatus || !lastMethod || !lastDay) return { ...guest, canCheckIn }
  const when = formatCheckInTime(lastDay, lastAt === undefined ? undefined : new Date(lastAt), timeZone)
  const last = { status: lastStatus, method: lastMethod, ...(lastSource && { source: lastSource }), when }
  return { ...guest, canCheckIn, last }
}

/**
 * Returns a query for a JSON array of `GuestRow`s, sorted by rank, then newest first; null if there are none. Omits empty members.
 *
 * @param selected a query for a limited number of rows of `tickets`, each with a `rank`
 */
export const guestQuery = (selected: SQL): SQL => sql`select json_strip_nulls(json_agg(guest))::text from (
  select ticket.id, nullif(ticket.record ->> 'customerName', '') as name, nullif(ticket.record ->> 'ticketTypeId', '') as "typeId",
    nullif(${ticketTypeName(sql`ticket`)}, '') as type, nullif(ticket.page_id, '') as "pageId", nullif(page.name, '') as event,
    nullif(ticket.order_id, '') as "order", nullif(ticket.record ->> 'ticketShortId', '') as "shortId", ticket.status,
    ticket.check_in_status as "checkInStatus", coalesce(page.entry_policy, 'single') as "entryPolicy",
    seller.time_zone as "timeZone", last.status as "lastStatus", last.method as "lastMethod", last.source as "lastSource",
    to_char(last.day, 'YYYY-MM-DD') as "lastDay", ${instantText(sql`last.at`)} as "lastAt"
  from (${selected}) as ticket
  join ${sellers} as seller on seller.id = ticket.seller_id
  left join ${pages} as page on page.seller_id = ticket.seller_id and page.id = ticket.page_id
  left join lateral (
    select * from ${checkIns} as entry where entry.seller_id = ticket.seller_id and entry.ticket_id = ticket.id order by entry.sequence desc limit 1
  ) as last on true
  order by ticket.rank, ticket.created_at desc, ticket.id desc) as guest`
