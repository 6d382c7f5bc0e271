/** Parses the filters and sort order of a record's list from the page's URL. They determine the previous and next records. */
import type { z } from 'zod'
import { ApiError } from '@/lib/core/errors'
import { parseQuery } from '@/lib/http/exchange'

/** Parameters that select a page of the list but do not filter it. */
const PAGINATION_PARAMS = ['limit', 'starting_after', 'ending_before']

/** Returns whether a list's query contains filters or a search. */
export const hasFilters = (query: URLSearchParams): boolean =>
  [...query.keys()].some((name) => name !== 'sort' && !PAGINATION_PARAMS.includes(name))

/** Returns the query string (with its `?`) for a list's filters and sort order, or an empty string if there are none. */
export function listSuffix(query: URLSearchParams): string {
  const params = new URLSearchParams([...query].filter(([name]) => !PAGINATION_PARAMS.includes(name)))
  return params.size > 0 ? `?${params}` : ''
}

/**
 * Builds the list's query. Ignores parameters that are not in the schema. Returns undefined if a parameter is invalid.
 *
 * @param suffix the result of `listSuffix`
 * @param build builds the query from the parsed parameters
 */
export function parseListQuery<Params, Query>(
  suffix: string,
  schema: z.ZodObject & z.ZodType<Params>,
  build: (params: Params) => Query,
): Query | undefined {
  const knownParams = new URLSearchParams([...new URLSearchParams(suffix)].filter(([name]) => Object.hasOwn(schema.shape, name)))
  try {
    return build(parseQuery(`?${knownParams}`, schema))
  } catch (error) {
    if (error instanceof ApiError) return undefined
    throw error
  }
}
