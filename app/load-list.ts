/** What a page's query asks of a list, or why that can't be had. */
import type { z } from 'zod'
import { ApiError } from '@/lib/core/errors'
import { parseQuery } from '@/lib/http/params'

export type Given = Record<string, string | string[] | undefined>

export function toQuery(given: Given): URLSearchParams {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(given)) for (const one of [value].flat()) if (one) query.append(name, one)
  return query
}

/** @returns the page with its parameters, or a complaint in words where the link does not fit */
export async function loadList<Params, Page>(
  query: URLSearchParams,
  schema: z.ZodObject & z.ZodType<Params>,
  list: (params: Params) => Promise<Page>,
) {
  try {
    const params = parseQuery(`?${query}`, schema)
    return { params, page: await list(params) }
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) return { complaint: error.message }
    throw error
  }
}
