/** Reads the tickets of a booking, with their codes and check-in status. */
import { type SQL, sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { checkIns, tickets } from '@/db/schema'
import type { CheckIn, Ticket } from '../catalog/ticket'
import { instantText } from '../core/sql'
import type { ScanSource } from './scan-source'

/** The members of a booking that identify its tickets. */
export type BookingTickets = { id: string; orderId?: string | undefined }

export type BookedTicket = {
  id: string
  /** The content of the QR code. It is a bearer secret: show it only to users who can see the booking, and never store or log it. */
  code: string
  status: Ticket['status']
  checkInStatus: Ticket['checkInStatus']
  shortId: string | null
  guest: string | null
  typeId: string | null
  /** The ticket's metadata, such as a seat. */
  notes: { key: string; value: string }[]
  /** `method`, `source`, `day` and `at` describe the latest entry of the ticket's history. `at` is null if only the day is known. */
  method: CheckIn['method'] | null
  source: ScanSource | null
  day: string | null
  at: string | null
}

/**
 * Returns a query for a booking's tickets: those whose `chargeId` is the booking's ID, and those with its order ID and no `chargeId`.
 * An empty ID is treated as absent. Each half of the union uses an index.
 */
export const selectBookingTickets = (seller: string, bookingId: SQL, orderId: SQL): SQL => sql`(
  select * from ${tickets} where seller_id = ${seller}
    and md5(record ->> 'chargeId') = md5(${bookingId}) and record ->> 'chargeId' = ${bookingId}
  union all
  select * from ${tickets} where seller_id = ${seller}
    and md5(order_id) = md5(${orderId}) and order_id = nullif(${orderId}, '') and nullif(record ->> 'chargeId', '') is null)`

/** Returns a query for `TicketRow`s, oldest first. @param selected a query for rows of `tickets` */
const selectFrom = (selected: SQL): SQL => sql`
  select ticket.id, ticket.qr_code as code, ticket.status, ticket.check_in_status as "checkInStatus",
    ticket.record ->> 'ticketShortId' as "shortId", ticket.record ->> 'customerName' as guest,
    ticket.record ->> 'ticketTypeId' as "typeId", ticket.metadata::text as notes, latest.method, latest.source, to_char(latest.day, 'YYYY-MM-DD') as day,
    ${instantText(sql`latest.at`)} as at
  from ${selected} as ticket left join lateral (
    select method, source, day, at from ${checkIns}
    where ${checkIns.sellerId} = ticket.seller_id and ${checkIns.ticketId} = ticket.id
    order by sequence desc limit 1) as latest on true
  order by ticket.created_at, ticket.id`

/** Returns the query that `ticketsOfBooking` runs. */
export const selectTickets = (seller: string, { id, orderId }: BookingTickets): SQL =>
  selectFrom(selectBookingTickets(seller, sql`${id}::text`, sql`${orderId ?? null}::text`))

type TicketRow = Omit<BookedTicket, 'notes'> & { notes: string }

async function readTickets(selected: SQL): Promise<BookedTicket[]> {
  const found = await database().use(({ rows }) => rows<TicketRow>(selected))
  return found.map((row) => ({ ...row, notes: JSON.parse(row.notes) as BookedTicket['notes'] }))
}

/** Returns a ticket by its ID, or undefined if the seller has no such ticket. */
export async function findBookedTicket(seller: string, id: string): Promise<BookedTicket | undefined> {
  const [found] = await readTickets(
    selectFrom(sql`(select * from ${tickets} where ${tickets.sellerId} = ${seller} and ${tickets.id} = ${id})`),
  )
  return found
}

/** Returns the tickets of a booking, oldest first. */
export const ticketsOfBooking = (seller: string, booking: BookingTickets): Promise<BookedTicket[]> =>
  readTickets(selectTickets(seller, booking))
