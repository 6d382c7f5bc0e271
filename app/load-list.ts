/** Loads a list from a page's query. */
import type { z } from 'zod'
import { ApiError } from '@/lib/core/errors'
import { parseQuery } from '@/lib/http/params'

export type Given = Record<string, string | string[] | undefined>

export function toQuery(given: Given): URLSearchParams {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(given)) for (const one of [value].flat()) if (one) query.append(name, one)
  return query
}

/** Returns the page of a list with its parameters, or an error message if the query is invalid. */
export async function loadList<Params, Page>(
  query: URLSearchParams,
  schema: z.ZodObject & z.ZodType<Params>,
  list: (params: Params) => Promise<Page>,
) {
  try {
    const params = parseQuery(`?${query}`, schema)
    return { params, page: await list(params) }
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) return { error: error.message }
    throw error
  }
}
