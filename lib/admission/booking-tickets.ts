/** Reads the tickets of a booking, with their codes and check-in status. */
import { type SQL, sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { checkIns, tickets } from '@/db/schema'
import type { CheckIn, Ticket } from '../catalog/ticket'
import { instantText } from '../core/sql'
import type { ScanSource } from './scan-source'

/** The members of a booking that identify its tickets. */
export type BookingReference = { id: string; orderId?: string | undefined }

export type BookingTicket = {
  id: string
  /** The content of the QR code. It is a bearer token: show it only to users who can see the booking, and never log it. */
  code: string
  status: Ticket['status']
  checkInStatus: Ticket['checkInStatus']
  shortId: string | null
  /** The guest's name. */
  guest: string | null
  typeId: string | null
  /** The ticket's metadata, such as a seat. */
  metadata: { key: string; value: string }[]
  /**
   * `method`, `source`, `day` and `at` describe the latest entry of the ticket's history, and are null if there is none. `source` is also
   * null if it is unknown.
   */
  method: CheckIn['method'] | null
  source: ScanSource | null
  /** `YYYY-MM-DD`, in the seller's time zone. */
  day: string | null
  /** ISO 8601; null if only the day is known. */
  at: string | null
}

/**
 * Returns a query for a booking's tickets: those whose `chargeId` is the booking's ID, and those with its order ID and no `chargeId`.
 * An empty order ID, and an empty `chargeId`, are treated as absent. Each branch of the union uses an index on an MD5 digest, and then
 * compares the ID itself, because digests can collide.
 */
export const selectBookingTickets = (seller: string, bookingId: SQL, orderId: SQL): SQL => sql`(
  select * from ${tickets} where seller_id = ${seller}
    and md5(record ->> 'chargeId') = md5(${bookingId}) and record ->> 'chargeId' = ${bookingId}
  union all
  select * from ${tickets} where seller_id = ${seller}
    and md5(order_id) = md5(${orderId}) and order_id = nullif(${orderId}, '') and nullif(record ->> 'chargeId', '') is null)`

/** Returns a query for `TicketRow`s, oldest first. @param selected a query for rows of `tickets` */
const selectTicketRows = (selected: SQL): SQL => sql`
  select ticket.id, ticket.qr_code as code, ticket.status, ticket.check_in_status as "checkInStatus",
    ticket.record ->> 'ticketShortId' as "shortId", ticket.record ->> 'customerName' as guest,
    ticket.record ->> 'ticketTypeId' as "typeId", ticket.metadata::text as metadata, latest.method, latest.source, to_char(latest.day, 'YYYY-MM-DD') as day,
    ${instantText(sql`latest.at`)} as at
  from ${selected} as ticket left join lateral (
    select method, source, day, at from ${checkIns}
    where ${checkIns.sellerId} = ticket.seller_id and ${checkIns.ticketId} = ticket.id
    order by sequence desc limit 1) as latest on true
  order by ticket.created_at, ticket.id`

/**
 * The maximum number of tickets to read or generate for a booking. Imported tickets for a whole event can have the same order ID, and
 * rendering all of them would block the page process, which also serves other sellers.
 */
export const MAX_BOOKING_TICKETS = 1_000

/** Returns the query that `readBookingTickets` runs. Exported for a test of its plan. */
export const selectTickets = (seller: string, { id, orderId }: BookingReference): SQL =>
  selectTicketRows(sql`(
    select * from ${selectBookingTickets(seller, sql`${id}::text`, sql`${orderId ?? null}::text`)} as found
    order by created_at, id limit ${sql.raw(String(MAX_BOOKING_TICKETS + 1))})`)

type TicketRow = Omit<BookingTicket, 'metadata'> & { metadata: string }

async function readTickets(query: SQL): Promise<BookingTicket[]> {
  const found = await database().query<TicketRow>(query)
  return found.map((row) => ({ ...row, metadata: JSON.parse(row.metadata) as BookingTicket['metadata'] }))
}

/** Returns a ticket by its ID, or undefined if the seller has no such ticket. */
export async function findBookingTicket(seller: string, id: string): Promise<BookingTicket | undefined> {
  const [found] = await readTickets(
    selectTicketRows(sql`(select * from ${tickets} where ${tickets.sellerId} = ${seller} and ${tickets.id} = ${id})`),
  )
  return found
}

/** Returns the tickets of a booking, oldest first. If there are more than `MAX_BOOKING_TICKETS`, returns one more than that. */
export const readBookingTickets = (seller: string, booking: BookingReference): Promise<BookingTicket[]> =>
  readTickets(selectTickets(seller, booking))
