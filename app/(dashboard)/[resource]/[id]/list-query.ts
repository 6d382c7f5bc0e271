/** The list that a record was opened from. The links of its rows carry its filters and its order, so that the neighboring records are its own. */
import type { z } from 'zod'
import { ApiError } from '@/lib/core/errors'
import { parseQuery } from '@/lib/http/exchange'

/** Parameters of a page of the list, which do not narrow it. */
const OF_A_PAGE = ['limit', 'starting_after', 'ending_before']

/** Returns the query string of a list's filters and order, with its question mark, or an empty text. */
export function listSuffix(query: URLSearchParams): string {
  const kept = new URLSearchParams([...query].filter(([name]) => !OF_A_PAGE.includes(name)))
  return kept.size > 0 ? `?${kept}` : ''
}

/**
 * Returns a query for the list, or undefined if its parameters are not valid. Parameters that the schema does not have are ignored.
 *
 * @param suffix the result of `listSuffix`
 * @param build makes the query of the parsed parameters
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
