/** The current view of a list as a CSV export and as an API request. */
import type { ResourceName } from '@/lib/catalog'
import type { ListParams } from '@/lib/catalog/list-params'

/** Returns the path of the export: the filters without the cursor, because an export holds every matching record. */
export function exportPath(resource: ResourceName, { search, status, pageId }: ListParams): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries({ search, status, pageId })) if (value !== undefined) query.set(name, value)
  return query.size > 0 ? `/${resource}/export?${query}` : `/${resource}/export`
}

/** Quotes a text for a POSIX shell. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/**
 * Returns a curl command that requests what a list page shows. `$KEY` is an API key, which the user sets first.
 *
 * @param address the server's origin, without a trailing slash
 * @param query the page's query, whose parameters are the API's
 */
export function curlOf(address: string, resource: ResourceName, query: URLSearchParams): string {
  const path = `/v1/${resource}`
  return `curl -s ${quoted(address + (query.size > 0 ? `${path}?${query}` : path))} -H "Authorization: Bearer $KEY"`
}
