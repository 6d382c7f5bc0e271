/** Chooses the writer for a resource. The writer for bookings also synchronizes their tickets, in the same transaction. */
import { resources } from '../../catalog'
import type { Resource } from '../../catalog/resource'
import { recordWriter } from './record-writer'
import { lockBookingTickets, syncBookingTickets } from './sync-booking-tickets'

const basicWriter = recordWriter(resources.bookings)

const bookingWriter: typeof basicWriter = {
  ...basicWriter,
  async write(connection, seller, rows) {
    const result = await basicWriter.write(connection, seller, rows)
    await lockBookingTickets(connection, seller, 'bookings')
    // Includes unchanged bookings, because an earlier version might not have generated their tickets.
    await syncBookingTickets(
      connection,
      seller,
      rows.map(({ id }) => id),
    )
    return result
  },
}

/** Returns the writer that imports and Stripe's events use for a resource. */
export const writerFor = (resource: Resource): typeof basicWriter => (resource.name === 'bookings' ? bookingWriter : recordWriter(resource))
