/** The tickets of a booking, with their codes and what the door knows of them. */
import { type SQL, sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { checkIns, tickets } from '@/db/schema'
import type { CheckIn, Ticket } from '../catalog/ticket'
import { instantText } from '../core/sql'

/** A booking as far as its tickets are found by it. */
export type OfBooking = { id: string; orderId?: string | undefined }

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

/** A booking's rows of `tickets`, each arm by an index: those that name it, and those of its order that name none. */
export const ticketsOf = (seller: string, bookingId: SQL, orderId: SQL): SQL => sql`(
  select * from ${tickets} where seller_id = ${seller}
    and md5(record ->> 'chargeId') = md5(${bookingId}) and record ->> 'chargeId' = ${bookingId}
  union all
  select * from ${tickets} where seller_id = ${seller}
    and md5(order_id) = md5(${orderId}) and order_id = ${orderId} and record ->> 'chargeId' is null)`

/** The query behind `ticketsOfBooking`. */
export const selectTickets = (seller: string, { id, orderId }: OfBooking): SQL => sql`
  select ticket.id, ticket.qr_code as code, ticket.status, ticket.check_in_status as "checkInStatus",
    ticket.record ->> 'ticketShortId' as "shortId", ticket.record ->> 'customerName' as guest,
    ticket.record ->> 'ticketTypeId' as "typeId", latest.method, to_char(latest.day, 'YYYY-MM-DD') as day,
    ${instantText(sql`latest.at`)} as at
  from ${ticketsOf(seller, sql`${id}::text`, sql`${orderId ?? null}::text`)} as ticket left join lateral (
    select method, day, at from ${checkIns}
    where ${checkIns.sellerId} = ticket.seller_id and ${checkIns.ticketId} = ticket.id
    order by sequence desc limit 1) as latest on true
  order by ticket.created_at, ticket.id`

/** In the order in which they were made. */
export const ticketsOfBooking = (seller: string, booking: OfBooking): Promise<BookedTicket[]> =>
  database().use(({ rows }) => rows<BookedTicket>(selectTickets(seller, booking)))
