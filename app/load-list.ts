/** Loads a list with the parameters in a page's query. */
import type { z } from 'zod'
import { ApiError } from '@/lib/core/errors'
import { parseQuery } from '@/lib/http/exchange'
import { NO_CURSOR, withParams } from './_components/with-params'
import { listCopy } from './copy/list'

export type SearchParams = Record<string, string | string[] | undefined>

/** Converts a page's search parameters to a query. Omits empty ones. */
export function toQuery(searchParams: SearchParams): URLSearchParams {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(searchParams)) for (const item of [value].flat()) if (item) query.append(name, item)
  return query
}

/** Returns what is wrong with a link, in the dashboard's terms. The API's message is written for developers. */
export function getLinkHint({ param }: Pick<ApiError, 'param'>): string {
  const { created, period, cursor, other } = listCopy.badLinkHints
  if (param?.startsWith('created')) return created
  if (param === 'period') return period
  return param === 'starting_after' || param === 'ending_before' ? cursor : other
}

/**
 * Returns the URL of a list's first page, to offer instead of an invalid link. Keeps the filters if only the cursor is invalid.
 *
 * @param hint the result of `getLinkHint`
 */
export const firstPageHref = (path: string, query: URLSearchParams, hint: string): string =>
  hint === listCopy.badLinkHints.cursor ? withParams(path, query, NO_CURSOR) : path

/** Returns a page of the list and the parsed parameters, or a message for the user if the query is invalid. */
export async function loadList<Params, Page>(
  query: URLSearchParams,
  schema: z.ZodObject & z.ZodType<Params>,
  list: (params: Params) => Promise<Page>,
) {
  try {
    const params = parseQuery(`?${query}`, schema)
    return { params, page: await list(params) }
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) return { error: getLinkHint(error) }
    throw error
  }
}
