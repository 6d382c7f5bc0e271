/** Column types that drizzle does not have, or that all tables share. */
import { customType, timestamp } from 'drizzle-orm/pg-core'

export const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'string' })

/** Binary data, which postgres.js returns as a Buffer. */
export const bytes = customType<{ data: Buffer }>({ dataType: () => 'bytea' })

/** JSON that is written and read as text. */
export const jsonText = customType<{ data: string }>({ dataType: () => 'json' })
