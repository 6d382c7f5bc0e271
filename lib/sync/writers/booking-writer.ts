/** Writes bookings like other records, and synchronizes their tickets in the same transaction. */
import { resources } from '../../catalog'
import type { Resource } from '../../catalog/resource'
import { type CustomerSource, customerWriter } from './customer-writer'
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

/**
 * Returns the writer for a resource. Every source of records uses it.
 *
 * @param source the origin of the records, which is stored with customers
 */
export function writerFor(resource: Resource, source: CustomerSource): typeof records {
  if (resource.name === 'bookings') return bookingWriter
  return resource.name === 'customers' ? customerWriter(source) : recordWriter(resource)
}
