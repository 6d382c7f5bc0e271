/** Bookings as a target of an import: records like the others, whose tickets are settled with them. */
import { resources } from '../../catalog'
import type { Resource } from '../../catalog/resource'
import { recordTarget } from './records'
import { settleTickets, takeTurn } from './sync-booking-tickets'

const records = recordTarget(resources.bookings)

const bookingTarget: typeof records = {
  ...records,
  isOneStatement: false,
  async write(connection, seller, rows) {
    const result = await records.write(connection, seller, rows)
    await takeTurn(connection, seller, 'bookings')
    // Those that have not changed too: an earlier version made no tickets for them.
    await settleTickets(
      connection,
      seller,
      rows.map(({ id }) => id),
    )
    return result
  },
}

/** How the records of a listed resource are written, wherever they come from. */
export const targetOf = (resource: Resource) => (resource.name === 'bookings' ? bookingTarget : recordTarget(resource))
