/** The same view of a list, asked for in other ways: as a file, and of the API. */
import type { ResourceName } from '@/lib/catalog'
import type { ListParams } from '@/lib/catalog/list-params'

/** The filters alone: an export is the whole of what they leave, wherever one is in it. */
export function exportPath(resource: ResourceName, { search, status, pageId }: ListParams): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries({ search, status, pageId })) if (value !== undefined) query.set(name, value)
  return query.size > 0 ? `/${resource}/export?${query}` : `/${resource}/export`
}

/** One word to a POSIX shell, whatever it holds. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/**
 * A line for a shell that asks the API for what a list's page shows. `$KEY` stands for an API key, to be set before.
 *
 * @param address the server's, without a slash at its end
 * @param query the page's own, whose parameters are the API's
 */
export function curlOf(address: string, resource: ResourceName, query: URLSearchParams): string {
  const path = `/v1/${resource}`
  return `curl -s ${quoted(address + (query.size > 0 ? `${path}?${query}` : path))} -H "Authorization: Bearer $KEY"`
}
