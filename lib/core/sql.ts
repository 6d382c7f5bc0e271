/** Fragments of SQL that several queries use. */
import { type SQL, sql } from 'drizzle-orm'
import type { AnyPgColumn } from 'drizzle-orm/pg-core'

/** `YYYY-MM-DDTHH:mm:ss.sssZ`, or null for null. */
export const instantText = (instant: SQL | AnyPgColumn) => sql`to_char(${instant} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** Escapes a search term for LIKE, where `%`, `_` and `\` would otherwise be special. */
export const escapeLike = (term: string) => term.replace(/[\\%_]/g, '\\$&')
