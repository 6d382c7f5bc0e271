/** Defines how the driver sends and reads `text[]` and dates, and how it sends JSON. */
import { makePgArray, parsePgArray } from 'drizzle-orm/pg-core'

/**
 * Declares `text[]`, the only array type in use. Because of `fetch_types: false`, the driver does not query the array types, and would
 * otherwise send arrays in a format that PostgreSQL rejects.
 */
const TEXT_ARRAY = {
  to: 1009,
  from: [1009],
  serialize: (value: string | string[]) => (typeof value === 'string' ? value : makePgArray(value)),
  parse: parsePgArray,
}

/**
 * Returns a type whose values are passed through unchanged. Drizzle configures dates and JSON in the same way when a pool's query builder
 * is first used. Without this, results would depend on whether that has happened.
 */
const passThrough = (to: number, from: number[]) => ({ to, from, serialize: (value: unknown) => value, parse: (value: unknown) => value })

/**
 * The driver's `types` option. `to` is the OID of the type that values are sent as, and `from` lists the OIDs of the types that are read.
 */
export const DRIVER_TYPES = {
  textArray: TEXT_ARRAY,
  date: passThrough(1184, [1082, 1083, 1114, 1184]),
  json: passThrough(114, []),
  jsonb: passThrough(3802, []),
}
