/** Converts the date filters of lists to SQL conditions. */
import { and, type Placeholder, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { Connection } from '@/db/client'
import { sellers } from '@/db/schema'
import { CREATED, type CreatedName, type CreatedParams } from '../catalog/list-params'
import { ApiError } from '../core/errors'
import { startOfDay } from '../core/sql'

/** A bound on `createdAt`. */
export type CreatedBound<Value = string> = {
  name: CreatedName
  /** Whether the value is a date (`YYYY-MM-DD`) in the seller's time zone; otherwise, it is a timestamp. */
  isDate: boolean
  value: Value
}

/** One or two bounds, the lower one first. */
export type CreatedRange<Value = string> = readonly CreatedBound<Value>[]

export type RangeQuery = { sellerId: string | Placeholder; created?: CreatedRange<string | Placeholder> | undefined }

const NAMES = Object.keys(CREATED) as CreatedName[]

/** Converts parsed parameters to a range. Returns undefined if they contain no bounds. */
export function toCreatedRange(params: CreatedParams): CreatedRange | undefined {
  const bounds = NAMES.flatMap((name) => {
    const value = params[name]
    return value === undefined ? [] : [{ name, isDate: !value.includes('T'), value }]
  })
  return bounds.length === 0 ? undefined : bounds
}

/** Returns a scalar subquery for the seller's time zone. */
export const selectTimeZone = ({ sellerId }: RangeQuery) =>
  sql`(select ${sellers.timeZone} from ${sellers} where ${sellers.id} = ${sellerId})`

/**
 * Returns the instant of a bound as a subquery, so that it is computed only once. A date means the start of the day or, in `lte` and `gt`,
 * its last microsecond.
 */
function selectInstant({ name, isDate, value }: CreatedBound<string | Placeholder>, query: RangeQuery): SQL {
  if (!isDate) return sql`(select ${value}::text::timestamptz)`
  const isEnd = name === 'created[lte]' || name === 'created[gt]'
  const timeZone = selectTimeZone(query)
  return isEnd
    ? sql`(select ${startOfDay(sql`${value}::text::date + 1`, timeZone)} - interval '1 microsecond')`
    : startOfDay(sql`${value}::text::date`, timeZone)
}

const conditions = (column: SQLWrapper, query: RangeQuery, operators: Record<CreatedName, string>) =>
  (query.created ?? []).map((bound) => sql`${column} ${sql.raw(operators[bound.name])} ${selectInstant(bound, query)}`)

/** Returns the condition that a timestamp is in the range, or undefined if there is no range. */
export const createdCondition = (column: SQLWrapper, query: RangeQuery): SQL | undefined => and(...conditions(column, query, CREATED))

const OPPOSITE = { 'created[gte]': '<', 'created[gt]': '<=', 'created[lte]': '>', 'created[lt]': '>=' } as const

/** Returns one condition per bound, which is true if a timestamp violates the bound. */
export const outsideConditions = (column: SQLWrapper, query: RangeQuery): SQL[] => conditions(column, query, OPPOSITE)

/** Returns a scalar subquery for the time zone that the range depends on. It selects null if no bound is a date. */
export const rangeTimeZone = (query: RangeQuery): SQL => (query.created?.some(({ isDate }) => isDate) ? selectTimeZone(query) : sql`null`)

/** Checks that the lower bound is not after the upper one. @throws {ApiError} `parameter_invalid` */
export async function requireOrderedBounds({ rows }: Connection, query: RangeQuery): Promise<void> {
  const [lower, upper] = query.created ?? []
  if (!lower || !upper) return
  const [found] = await rows<{ isReversed: boolean }>(
    sql`select ${selectInstant(lower, query)} > ${selectInstant(upper, query)} as "isReversed"`,
  )
  if (!found?.isReversed) return
  const message = `${upper.name} is before ${lower.name}. Send a later time in ${upper.name}, or an earlier one in ${lower.name}.`
  throw new ApiError('parameter_invalid', message, upper.name)
}
