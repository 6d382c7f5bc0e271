/** Writes bookings: records like the others, whose tickets are brought in line in the same transaction. */
import { resources } from '../../catalog'
import type { Resource } from '../../catalog/resource'
import { recordWriter } from './record-writer'
import { lockBookingTickets, syncBookingTickets } from './sync-booking-tickets'

const records = recordWriter(resources.bookings)

const bookingWriter: typeof records = {
  ...records,
  isOneStatement: false,
  async write(connection, seller, rows) {
    const result = await records.write(connection, seller, rows)
    await lockBookingTickets(connection, seller, 'bookings')
    // Unchanged bookings too: an earlier version may have generated no tickets for them.
    await syncBookingTickets(
      connection,
      seller,
      rows.map(({ id }) => id),
    )
    return result
  },
}

/** Returns the writer of a listed resource, used by every source of records. */
export const writerFor = (resource: Resource) => (resource.name === 'bookings' ? bookingWriter : recordWriter(resource))
