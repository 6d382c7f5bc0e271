/** The query parameters of a list, for the API, the dashboard and the API reference. */
import { z } from 'zod'
import { OBJECT_ID } from '../core/object-id'
import type { Filters } from './resource'

/** The parsed parameters: IDs in lower case, `limit` as a number. */
export type ListParams = {
  limit: number
  starting_after?: string | undefined
  ending_before?: string | undefined
  search?: string | undefined
  pageId?: string | undefined
  status?: string | undefined
}

/** docs/spec.md, "Shared list rules". */
export const PAGE_SIZE = { least: 1, most: 100, usual: 20 } as const
const LIMIT = `must be a whole number from ${PAGE_SIZE.least} to ${PAGE_SIZE.most}`
// Spec silent: the length of a search, and its characters.
export const MAX_SEARCH = 200
const SEARCH = `must have 1 to ${MAX_SEARCH} characters and no control characters`

export const idParam = z
  .string()
  .regex(OBJECT_ID, 'must be an id of 24 hex digits')
  .overwrite((value) => value.toLowerCase())

export const limitParam = z
  .string()
  .regex(/^\d+$/, LIMIT)
  .transform(Number)
  .refine((limit) => limit >= PAGE_SIZE.least && limit <= PAGE_SIZE.most, LIMIT)
  .default(PAGE_SIZE.usual)

export const searchParam = z
  .string()
  .refine((term) => !/\p{Cc}/u.test(term) && term.isWellFormed() && [...term].length <= MAX_SEARCH, SEARCH)

const common = {
  limit: limitParam,
  starting_after: idParam.optional(),
  ending_before: idParam.optional(),
  search: searchParam.optional(),
}

/** Returns the schema of a list's query parameters, which are strings. */
export function listParams(filters: Filters): z.ZodObject & z.ZodType<ListParams, Record<string, string>> {
  const { pageId, status } = filters
  return z.strictObject({
    ...common,
    ...(pageId ? { pageId: idParam.optional() } : {}),
    ...(status ? { status: z.enum(status, { error: `must be one of ${status.join(', ')}` }).optional() } : {}),
  }) as never
}
