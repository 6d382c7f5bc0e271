/** Opens a single connection to PostgreSQL, for work that does not use a pool: the embedded server's lease, migrations and backups. */
import postgres, { type Sql } from 'postgres'
import { DRIVER_TYPES } from './driver-types'
import { hostOptions } from './socket'

/** How long the driver waits for the connection to open. */
const CONNECT_SECONDS = 10

/**
 * Opens a single connection, once its first query runs. Arrays other than `text[]` must be cast, because their types are not queried: if a
 * connection is lost during that query, the driver leaves its rejection unhandled, which ends the process.
 *
 * @param name the application name that PostgreSQL shows for the connection
 */
export const openConnection = (url: string, name = 'checkout-desk'): Sql =>
  postgres(url, {
    ...hostOptions(url),
    max: 1,
    max_lifetime: null,
    connect_timeout: CONNECT_SECONDS,
    connection: { application_name: name },
    fetch_types: false,
    types: DRIVER_TYPES,
    onnotice: () => {},
  })
