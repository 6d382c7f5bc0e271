/** Opens a single connection to PostgreSQL, for work that does not use a pool: the embedded server's lease, migrations and backups. */
import postgres, { type Sql } from 'postgres'
import { DRIVER_TYPES } from './driver'
import { hostOptions } from './socket'

/** How long the driver waits for the connection to open. */
const CONNECT_SECONDS = 10

/**
 * Creates a client with a single connection, which is opened when the first query runs. Arrays other than `text[]` must be cast, because
 * the driver does not query their types: if the connection were lost during that query, the driver would leave the rejection unhandled,
 * which would end the process.
 *
 * @param name the application name that PostgreSQL shows for the connection
 */
export const openConnection = (url: string, name = 'checkout-desk'): Sql =>
  postgres(url, {
    ...hostOptions(url),
    max: 1,
    max_lifetime: null,
    connect_timeout: CONNECT_SECONDS,
    // After an outage, the lease must be visible to other processes again soon. By default, the driver waits for up to 20 seconds.
    backoff: (tries: number) => Math.min(tries * 0.1, 1),
    connection: { application_name: name },
    fetch_types: false,
    types: DRIVER_TYPES,
    onnotice: () => {},
  })
