/** Defines the query parameters of lists, for the API, the dashboard and the API reference. */
import { z } from 'zod'
import { OBJECT_ID } from '../core/object-id-pattern'
import { normalizeTimestamp } from '../core/time'
import type { Filters } from './resource'
import { describeChoices } from './shapes'

/** The bounds of `createdAt`, lower bounds first, with their comparison operators. */
export const CREATED = { 'created[gte]': '>=', 'created[gt]': '>', 'created[lte]': '<=', 'created[lt]': '<' } as const
export type CreatedName = keyof typeof CREATED

/** Parsed bounds: timestamps in UTC, or dates (`YYYY-MM-DD`) in the seller's time zone. */
export type CreatedParams = { [Name in CreatedName]?: string | undefined }

/** Parameters that cannot be combined. */
export const EXCLUSIVE = [
  ['starting_after', 'ending_before'],
  ['created[gte]', 'created[gt]'],
  ['created[lte]', 'created[lt]'],
] as const

/** The parsed parameters of a list of records. IDs are in lowercase. */
export type ListParams = CreatedParams & {
  limit: number
  starting_after?: string | undefined
  ending_before?: string | undefined
  search?: string | undefined
  pageId?: string | undefined
  status?: string | undefined
}

/** The bounds and the default of `limit` (docs/spec.md, "Shared list rules"). */
export const PAGE_SIZE = { min: 1, max: 100, default: 20 } as const
const LIMIT = `must be a whole number from ${PAGE_SIZE.min} to ${PAGE_SIZE.max}`
// Not specified: the length of a search term and the characters it can contain.
/** The maximum length of a search term, in Unicode code points. */
export const MAX_SEARCH = 200
const SEARCH = `must have 1 to ${MAX_SEARCH} characters and no control characters`

export const idParam = z
  .string()
  .regex(OBJECT_ID, 'must be an ID of 24 hex digits')
  .overwrite((value) => value.toLowerCase())

/** The ID of an event: `evt_` and 24 hex digits. */
export const eventIdParam = z
  .string()
  .regex(/^evt_[0-9a-f]{24}$/i, 'must be the id of an event, such as evt_6b0120895a117e0002000802')
  .overwrite((value) => value.toLowerCase())

/** The ID of an entry in a log, such as the audit log. */
const entryIdParam = z.string().regex(/^\d{1,15}$/, 'must be the ID of an entry')

export const limitParam = z
  .string()
  .regex(/^\d+$/, LIMIT)
  .transform(Number)
  .refine((limit) => limit >= PAGE_SIZE.min && limit <= PAGE_SIZE.max, LIMIT)
  .default(PAGE_SIZE.default)

export const searchParam = z
  .string()
  .refine((term) => !/\p{Cc}/u.test(term) && term.isWellFormed() && [...term].length <= MAX_SEARCH, SEARCH)

const DATE = 'must be a date such as 2026-11-21'
/** Accepts dates from the year 1 onward. The year 0 is valid in ISO 8601, but not in PostgreSQL. */
export const dateParam = z.iso.date(DATE).refine((date) => date >= '0001', DATE)
/** Accepts timestamps with or without seconds. */
const isoInstant = z.union([z.iso.datetime({ offset: true }), z.iso.datetime({ offset: true, precision: -1 })])

/**
 * A year, month or day without hyphens. It is rejected, because as Unix seconds, it would be in 1970, and the filter would match either all
 * records or none.
 */
const COMPACT_DATE = /^(?:19|20)\d\d(?:(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])?)?$/

/**
 * Converts a timestamp or Unix seconds to a UTC timestamp with up to six decimals. Returns a date unchanged, and undefined for any other
 * text.
 */
function toCreatedBound(text: string): string | undefined {
  if (COMPACT_DATE.test(text)) return undefined
  if (/^-?\d{1,12}$/.test(text)) return normalizeTimestamp(new Date(Number(text) * 1000).toISOString())
  if (dateParam.safeParse(text).success) return text
  const [, decimals = ''] = /\.(\d+)/.exec(text) ?? []
  if (decimals.length > 6 || !isoInstant.safeParse(text).success) return undefined
  return normalizeTimestamp(text)?.replace('Z', `${decimals.slice(3)}Z`)
}

// Not specified: the bounds of `createdAt`, and what a date means.
const CREATED_FORMS = 'must be a timestamp such as 2026-11-21T19:30:00Z, a date such as 2026-11-21, or Unix seconds'
const createdParam = z
  .string()
  .refine((text) => toCreatedBound(text) !== undefined, {
    // In a query string, a + that is not encoded means a space.
    error: ({ input }) => (/ \d{2}:?\d{2}$/.test(String(input)) ? `${CREATED_FORMS}. In a URL, encode + as %2B` : CREATED_FORMS),
  })
  .overwrite((text) => toCreatedBound(text) ?? text)
  .optional()

/** The date filters of every list that is sorted by `createdAt`. */
export const createdParams = {
  'created[gte]': createdParam,
  'created[gt]': createdParam,
  'created[lte]': createdParam,
  'created[lt]': createdParam,
} satisfies Record<CreatedName, unknown>

/** The parameters that every list of records has, in addition to `createdParams`. */
export const commonListParams = {
  limit: limitParam,
  starting_after: idParam.optional(),
  ending_before: idParam.optional(),
  search: searchParam.optional(),
}

/** The query parameters of the dashboard's logs. */
export const logParams = z.strictObject({
  limit: limitParam,
  starting_after: entryIdParam.optional(),
  ending_before: entryIdParam.optional(),
})
export type LogParams = z.output<typeof logParams>

/** Returns the schema that parses the query parameters of a resource's list from strings. */
export function listParams(filters: Filters): z.ZodObject & z.ZodType<ListParams, Record<string, string>> {
  const { pageId, status } = filters
  return z.strictObject({
    ...commonListParams,
    ...(pageId ? { pageId: idParam.optional() } : {}),
    ...(status ? { status: z.enum(status, describeChoices(status)).optional() } : {}),
    ...createdParams,
  }) as never
}
