/** The parameters of a list: one schema for the API, the dashboard and the reference. */
import { z } from 'zod'
import { OBJECT_ID } from '../object-id'
import type { Filters } from './resource'

/** Every member as it is used: ids in lower case, `limit` a number. */
export type ListParams = {
  limit: number
  starting_after?: string | undefined
  ending_before?: string | undefined
  search?: string | undefined
  pageId?: string | undefined
  status?: string | undefined
}

export const MAX_LIMIT = 100
const LIMIT = `must be a whole number from 1 to ${MAX_LIMIT}`
// Spec silent: how long a search may be, and what it may hold.
const SEARCH = 'must have 1 to 200 characters and no control characters'

const id = z
  .string()
  .regex(OBJECT_ID, 'must be an id of 24 hex digits')
  .overwrite((value) => value.toLowerCase())

const common = {
  limit: z
    .string()
    .regex(/^\d+$/, LIMIT)
    .transform(Number)
    .refine((limit) => limit >= 1 && limit <= MAX_LIMIT, LIMIT)
    .default(20),
  starting_after: id.optional(),
  ending_before: id.optional(),
  search: z
    .string()
    .refine((term) => !/\p{Cc}/u.test(term) && term.isWellFormed() && [...term].length <= 200, SEARCH)
    .optional(),
}

/** The parameters that a resource's list takes, as they come in a query: strings. */
export function listParams(filters: Filters): z.ZodObject & z.ZodType<ListParams, Record<string, string>> {
  const { pageId, status } = filters
  return z.strictObject({
    ...common,
    ...(pageId ? { pageId: id.optional() } : {}),
    ...(status ? { status: z.enum(status, { error: `must be one of ${status.join(', ')}` }).optional() } : {}),
  }) as never
}
