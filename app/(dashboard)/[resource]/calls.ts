/** Builds the CSV export path and the API request for the current view of a list. */
import type { ResourceName } from '@/lib/catalog'
import type { ListParams } from '@/lib/catalog/list-params'

/** Returns the path of the export: the filters without the cursor, because an export contains every matching record. */
export function exportPath(
  resource: ResourceName,
  { limit: _, starting_after: _after, ending_before: _before, ...filters }: ListParams,
): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(filters)) if (value !== undefined) query.set(name, value)
  return query.size > 0 ? `/${resource}/export?${query}` : `/${resource}/export`
}

/** Quotes a string for a POSIX shell. */
const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/**
 * Returns a curl command that requests the records shown on a list page. The user sets `$KEY` to an API key first.
 *
 * @param origin the server's public origin, without a trailing slash
 * @param query the page's query, which has the same parameters as the API
 */
export function buildCurlCommand(origin: string, resource: ResourceName, query: URLSearchParams): string {
  const path = `/v1/${resource}`
  return `curl -s ${quote(origin + (query.size > 0 ? `${path}?${query}` : path))} -H "Authorization: Bearer $KEY"`
}
