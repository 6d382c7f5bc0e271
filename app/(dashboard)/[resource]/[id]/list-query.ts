/** Reads the filters and sort order of a list from a page's query. */
import type { z } from 'zod'
import { ApiError } from '@/lib/core/errors'
import { parseQuery } from '@/lib/http/exchange'

/** Parameters that select a page of the list but do not filter it. */
const PAGINATION_PARAMS = ['limit', 'starting_after', 'ending_before']

/** Returns whether a list's query contains filters or a search. */
export const hasFilters = (query: URLSearchParams): boolean =>
  [...query.keys()].some((name) => name !== 'sort' && !PAGINATION_PARAMS.includes(name))

/** Returns the query string (with its `?`) for a list's filters and sort order, or an empty string if there are none. */
export function buildListQueryString(query: URLSearchParams): string {
  const params = new URLSearchParams([...query].filter(([name]) => !PAGINATION_PARAMS.includes(name)))
  return params.size > 0 ? `?${params}` : ''
}

/**
 * Parses a list's filters and sort order, and builds its query from them. Ignores the page's position in the list, and parameters that are
 * not in the schema.
 *
 * @param build builds the query from the parsed parameters
 * @returns undefined if a parameter is invalid
 */
export function parseListQuery<Params, Query>(
  query: URLSearchParams,
  schema: z.ZodObject & z.ZodType<Params>,
  build: (params: Params) => Query,
): Query | undefined {
  const known = new URLSearchParams([...query].filter(([name]) => Object.hasOwn(schema.shape, name) && !PAGINATION_PARAMS.includes(name)))
  try {
    return build(parseQuery(`?${known}`, schema))
  } catch (error) {
    if (error instanceof ApiError) return undefined
    throw error
  }
}
