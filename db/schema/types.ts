/** Column types that drizzle lacks or that many tables share. */
import { customType, timestamp } from 'drizzle-orm/pg-core'

/** A timestamp with time zone, read as text in PostgreSQL's format. */
export const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'string' })

/** Binary data, returned by postgres.js as a Buffer. */
export const bytes = customType<{ data: Buffer }>({ dataType: () => 'bytea' })

/** JSON that is written and read as text. */
export const jsonText = customType<{ data: string }>({ dataType: () => 'json' })

/** A 64-bit transaction ID. Within a database cluster, these IDs only increase. */
export const transactionId = customType<{ data: string }>({ dataType: () => 'xid8' })
