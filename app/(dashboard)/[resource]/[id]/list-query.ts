/** The list that a record was opened from: its filters are in the record's URL, so that the neighboring records are those of that list. */
import type { z } from 'zod'
import { type SearchParams, toQuery } from '@/app/load-list'
import { ApiError } from '@/lib/core/errors'
import { parseQuery } from '@/lib/http/exchange'

/** Parameters of a page of the list, which do not narrow it. */
const OF_A_PAGE = ['limit', 'starting_after', 'ending_before']

/** Returns the filters in the URL, and their query string with its question mark. Filters that are not valid are ignored. */
export function readListFilters<Params>(
  searchParams: SearchParams,
  schema: z.ZodObject & z.ZodType<Params>,
): { params: Params; suffix: string } {
  const query = toQuery(searchParams)
  for (const name of OF_A_PAGE) query.delete(name)
  try {
    return { params: parseQuery(`?${query}`, schema), suffix: query.size > 0 ? `?${query}` : '' }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { params: parseQuery('', schema), suffix: '' }
  }
}
