/** The list that a record was opened from: its filters are kept in the record's URL, so that the neighboring records are those of that list. */
import { headers } from 'next/headers'
import type { z } from 'zod'
import { type SearchParams, toQuery } from '@/app/load-list'
import { ApiError } from '@/lib/core/errors'
import { parseQuery } from '@/lib/http/exchange'

/** Parameters of a page of the list, which do not narrow it. */
const OF_A_PAGE = ['limit', 'starting_after', 'ending_before']

/** Returns the query of the list if the record was opened from it, by a link without a query of its own. */
async function queryOfReferrer(list: string): Promise<URLSearchParams> {
  const referrer = (await headers()).get('referer') ?? ''
  const url = URL.canParse(referrer) ? new URL(referrer) : undefined
  return url?.pathname === list ? url.searchParams : new URLSearchParams()
}

/**
 * Returns the filters that the schema has, and the whole query string of the list with its question mark. Values that are not valid are ignored.
 *
 * @param list the list's path
 */
export async function readListFilters<Params>(
  list: string,
  searchParams: SearchParams,
  schema: z.ZodObject & z.ZodType<Params>,
): Promise<{ params: Params; suffix: string }> {
  const own = toQuery(searchParams)
  const query = own.size > 0 ? own : await queryOfReferrer(list)
  for (const name of OF_A_PAGE) query.delete(name)
  const suffix = query.size > 0 ? `?${query}` : ''
  const known = new URLSearchParams([...query].filter(([name]) => Object.hasOwn(schema.shape, name)))
  try {
    return { params: parseQuery(`?${known}`, schema), suffix }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { params: parseQuery('', schema), suffix: '' }
  }
}
