/** The list that a record was opened from. Its rows' links carry its filters and sort order, from which the record's page finds the neighbors. */
import type { z } from 'zod'
import { ApiError } from '@/lib/core/errors'
import { parseQuery } from '@/lib/http/exchange'

/** Pagination parameters, which do not filter the list. */
const OF_A_PAGE = ['limit', 'starting_after', 'ending_before']

/** Returns the query string of a list's filters and sort order, with its question mark, or an empty string. */
export function listSuffix(query: URLSearchParams): string {
  const kept = new URLSearchParams([...query].filter(([name]) => !OF_A_PAGE.includes(name)))
  return kept.size > 0 ? `?${kept}` : ''
}

/**
 * Returns a query for the list, or undefined if its parameters are not valid. Parameters that the schema does not have are ignored.
 *
 * @param suffix the result of `listSuffix`
 * @param build builds the query from the parsed parameters
 */
export function readList<Params, Query>(
  suffix: string,
  schema: z.ZodObject & z.ZodType<Params>,
  build: (params: Params) => Query,
): Query | undefined {
  const known = new URLSearchParams([...new URLSearchParams(suffix)].filter(([name]) => Object.hasOwn(schema.shape, name)))
  try {
    return build(parseQuery(`?${known}`, schema))
  } catch (error) {
    if (error instanceof ApiError) return undefined
    throw error
  }
}
