/** Column types that drizzle does not have, or that are to be alike everywhere. */
import { customType, timestamp } from 'drizzle-orm/pg-core'

export const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'string' })

/** Binary that postgres.js hands over as a Buffer. */
export const bytes = customType<{ data: Buffer }>({ dataType: () => 'bytea' })

/** JSON that is written and read as the text it is. */
export const jsonText = customType<{ data: string }>({ dataType: () => 'json' })
