/** How the driver sends and reads values of types other than text, numbers and booleans. */
import { makePgArray, parsePgArray } from 'drizzle-orm/pg-core'

/**
 * Declares `text[]`, the only array type that is sent or read. Otherwise, the driver would query the array types once per pool and, if that
 * response were cut off, send arrays in a format that PostgreSQL rejects until the pool is replaced.
 */
const TEXT_ARRAY = {
  to: 1009,
  from: [1009],
  serialize: (value: string | string[]) => (typeof value === 'string' ? value : makePgArray(value)),
  parse: parsePgArray,
}

/**
 * Dates are sent and read as text, and JSON is sent as text, as Drizzle does once a pool's query builder is used. Otherwise, results would
 * depend on whether it was, and an invalid date would fail another statement.
 */
const asText = (to: number, from: number[]) => ({ to, from, serialize: (value: unknown) => value, parse: (value: unknown) => value })

/** The `types` option of the driver. `to` and `from` are the OIDs of PostgreSQL's types. */
export const DRIVER_TYPES = {
  textArray: TEXT_ARRAY,
  date: asText(1184, [1082, 1083, 1114, 1184]),
  json: asText(114, []),
  jsonb: asText(3802, []),
}
