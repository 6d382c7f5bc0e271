/** Writes bookings: records like the others, whose tickets are synchronized in the same transaction. */
import { resources } from '../../catalog'
import type { Resource } from '../../catalog/resource'
import { recordWriter } from './record-writer'
import { lockBookingTickets, syncBookingTickets } from './sync-booking-tickets'

const records = recordWriter(resources.bookings)

const bookingWriter: typeof records = {
  ...records,
  async write(connection, seller, rows) {
    const result = await records.write(connection, seller, rows)
    await lockBookingTickets(connection, seller, 'bookings')
    // Includes unchanged bookings, for which an earlier version might not have generated tickets.
    await syncBookingTickets(
      connection,
      seller,
      rows.map(({ id }) => id),
    )
    return result
  },
}

/** Returns the writer of a listed resource, which every source of records uses. */
export const writerFor = (resource: Resource) => (resource.name === 'bookings' ? bookingWriter : recordWriter(resource))
