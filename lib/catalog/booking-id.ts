/** SQL expressions for the booking that a ticket belongs to, and for the name of a ticket's type. */
import { type SQL, sql } from 'drizzle-orm'
import { bookings } from '@/db/schema'
import { idDigest } from '@/db/schema/columns'

/**
 * Returns a SQL expression for the ID of a ticket's booking: the ticket's `chargeId` or, if it has none, the ID of the newest booking with
 * the same order ID. An empty ID is treated as absent. The subquery for the order ID uses an index. It aggregates the IDs, because with
 * LIMIT, the planner might read the seller's bookings in the list's order until one matches.
 *
 * @param ticket the alias of a row of `tickets`
 */
export const bookingIdOf = (ticket: SQL): SQL => sql`coalesce(nullif((${ticket}).record ->> 'chargeId', ''), (
  select (array_agg(ordered.id order by ordered.created_at desc, ordered.id desc))[1] from ${bookings} as ordered
  where ordered.seller_id = (${ticket}).seller_id and ordered.record ->> 'orderId' = nullif((${ticket}).order_id, '')
    and ${idDigest(sql`ordered.seller_id`, sql`ordered.record ->> 'orderId'`)} = ${idDigest(sql`(${ticket}).seller_id`, sql`(${ticket}).order_id`)}))`

/**
 * Returns a subquery for the name of a ticket's type, or null. The name is stored only in the line items of the ticket's booking.
 *
 * @param ticket the alias of a row of `tickets`
 */
export const ticketTypeName = (ticket: SQL): SQL => sql`(
  select line ->> 'name' from ${bookings} as booking, json_array_elements(booking.record -> 'tickets') as line
  where booking.seller_id = (${ticket}).seller_id and booking.id = ${bookingIdOf(ticket)}
    and line ->> 'ticketTypeId' = (${ticket}).record ->> 'ticketTypeId' limit 1)`
