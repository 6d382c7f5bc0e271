/** An instant as PostgreSQL is asked to write it: the one form that everything here reads. */
import { type SQL, sql } from 'drizzle-orm'
import type { AnyPgColumn } from 'drizzle-orm/pg-core'

/** `YYYY-MM-DDTHH:mm:ss.sssZ`, or null for null. */
export const instantText = (instant: SQL | AnyPgColumn) => sql`to_char(${instant} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
