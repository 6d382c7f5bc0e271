/** Finds the booking of a ticket. */
import { sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { bookings, tickets } from '@/db/schema'
import { bookingIdOf } from '../catalog/booking-id'

/** Returns the booking of a ticket as JSON, without its secrets, or undefined if it is not stored. */
export async function findTicketBooking(sellerId: string, ticketId: string): Promise<string | undefined> {
  const [row] = await database().query<{ record: string }>(sql`
    select booking.record::text as record from ${tickets} as ticket
    join ${bookings} as booking on booking.seller_id = ticket.seller_id and booking.id = ${bookingIdOf(sql`ticket`)}
    where ticket.seller_id = ${sellerId} and ticket.id = ${ticketId}`)
  return row?.record
}
