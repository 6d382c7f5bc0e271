/** The tickets of a booking, with their codes and what the door knows of them. */
import { type SQL, sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { checkIns, tickets } from '@/db/schema'
import type { CheckIn, Ticket } from './ticket'

/** A booking as far as its tickets are found by it. */
export type OfBooking = { id: string; orderId?: string | undefined; pageId?: string | undefined; customerEmail?: string | undefined }

export type BookedTicket = {
  id: string
  /** What its QR code says. Whoever has it gets in: for the eyes of who may see the booking, and for nothing that is kept. */
  code: string
  status: Ticket['status']
  checkInStatus: Ticket['checkInStatus']
  shortId: string | null
  guest: string | null
  typeId: string | null
  /** The latest entry of its history: `at` is the instant, where it is known, beside its day. */
  method: CheckIn['method'] | null
  day: string | null
  at: string | null
}

/**
 * A ticket's booking stands in its `chargeId`, which no index has: each of these leads by an index to few tickets, among which it is
 * looked for. Undefined where the booking says nothing to go by.
 */
function nearby({ orderId, pageId, customerEmail }: OfBooking): SQL | undefined {
  if (orderId) return sql`md5(${tickets.orderId}) = md5(${orderId}::text) and ${tickets.orderId} = ${orderId}`
  if (pageId) return sql`${tickets.pageId} = ${pageId}`
  if (customerEmail) return sql`${tickets.search} like '%' || desk_fold(${customerEmail.replace(/[\\%_]/g, '\\$&')}::text) || '%'`
  return undefined
}

/** The query behind `ticketsOfBooking`; undefined where nothing leads from the booking to its tickets. */
export function selectTickets(seller: string, booking: OfBooking): SQL | undefined {
  const condition = nearby(booking)
  // A ticket of the same order that names no booking is this one's too; found another way, it has to name it.
  const named = sql`${tickets.record} ->> 'chargeId' = ${booking.id}`
  const mine = booking.orderId ? sql`(${tickets.record} ->> 'chargeId' is null or ${named})` : named
  return (
    condition &&
    sql`
    select ${tickets.id} as id, ${tickets.qrCode} as code, ${tickets.status} as status, ${tickets.checkInStatus} as "checkInStatus",
      ${tickets.record} ->> 'ticketShortId' as "shortId", ${tickets.record} ->> 'customerName' as guest,
      ${tickets.record} ->> 'ticketTypeId' as "typeId", latest.method, to_char(latest.day, 'YYYY-MM-DD') as day,
      to_char(latest.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at
    from ${tickets} left join lateral (
      select method, day, at from ${checkIns}
      where ${checkIns.sellerId} = ${tickets.sellerId} and ${checkIns.ticketId} = ${tickets.id}
      order by sequence desc limit 1) as latest on true
    where ${tickets.sellerId} = ${seller} and ${condition} and ${mine}
    order by ${tickets.createdAt}, ${tickets.id}`
  )
}

/** In the order in which they were made. */
export async function ticketsOfBooking(seller: string, booking: OfBooking): Promise<BookedTicket[]> {
  const query = selectTickets(seller, booking)
  return query ? database().use(({ rows }) => rows<BookedTicket>(query)) : []
}
