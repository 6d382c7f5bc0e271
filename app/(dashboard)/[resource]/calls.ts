/** Builds the CSV export path and the API request for the current view of a list. */
import type { ResourceName } from '@/lib/catalog'
import { asListQuery, type TableQuery } from '@/lib/listing/table-query'

/** Parameters that do not change which records match. */
const NOT_FILTERS = ['limit', 'starting_after', 'ending_before']

/** Returns the path of the export: the filters without the cursor, because an export contains every matching record. */
export function exportPath(resource: ResourceName, query: URLSearchParams): string {
  const filters = new URLSearchParams(query)
  for (const name of NOT_FILTERS) filters.delete(name)
  return filters.size > 0 ? `/${resource}/export?${filters}` : `/${resource}/export`
}

/** Quotes a string for a POSIX shell. */
const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/**
 * Returns whether the API finds the same records. It searches for the text as a whole and not in names, so this is so for one word that no
 * name contains: an email address or a number.
 */
const isSameSearch = ({ search, resource }: TableQuery) =>
  search === undefined || (/^\S+$/.test(search) && (!('names' in resource.table) || /[@\d]/.test(search)))

/**
 * Returns a curl command that requests the records shown on a list page, or undefined if the API cannot express the view. The user sets
 * `$KEY` to an API key first.
 *
 * @param origin the server's public origin, without a trailing slash
 * @param query the page's query
 */
export function buildCurlCommand(origin: string, resource: ResourceName, table: TableQuery, query: URLSearchParams): string | undefined {
  if (table.isAscending || !asListQuery(table) || !isSameSearch(table)) return undefined
  const params = new URLSearchParams(query)
  params.delete('sort')
  if (params.has('period')) {
    params.delete('period')
    for (const { name, value } of table.created ?? []) params.set(name, value)
  }
  const path = `/v1/${resource}`
  return `curl -s ${quote(origin + (params.size > 0 ? `${path}?${params}` : path))} -H "Authorization: Bearer $KEY"`
}
