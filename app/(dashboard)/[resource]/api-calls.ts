/** Builds the CSV export path and the API request for the current view of a list. */
import { apiRequest } from '@/app/_components/api-request'
import type { TableName } from '@/lib/accounts/preferences'
import type { ResourceName } from '@/lib/catalog'
import { asListQuery, type TableQuery } from '@/lib/listing/table-query'
import type { TicketQuery } from '@/lib/listing/ticket-table'
import { buildListQueryString } from './[id]/list-query'

/** Returns the export's path with the filters and the sort order, but without pagination: an export contains every matching record. */
export const buildExportPath = (table: TableName, query: URLSearchParams): string => `/${table}/export${buildListQueryString(query)}`

/**
 * Returns whether the API's search is likely to find the same records as the table's. The API searches for the whole text and does not
 * search names; the table searches for each word, including in names. A single word with a digit or an `@` is assumed not to be part of a
 * name. If the records have no names, such as coupons, any single word gives the same result.
 */
const isSameSearch = ({ search, resource }: TableQuery) =>
  search === undefined || (/^\S+$/.test(search) && (!('names' in resource.table) || /[@\d]/.test(search)))

/** Converts a list page's query to API parameters: replaces a period with its dates, and removes `sort` and `livemode`. */
function toApiParams(query: URLSearchParams, created: TableQuery['created']): URLSearchParams {
  const params = new URLSearchParams(query)
  params.delete('sort')
  // `asListQuery` rejects a query for only live or only test records, so here `livemode` selects both, which is the API's default.
  params.delete('livemode')
  if (params.has('period')) {
    params.delete('period')
    for (const { name, value } of created ?? []) params.set(name, value)
  }
  return params
}

const formatCurl = (origin: string, name: string, params: URLSearchParams): string =>
  apiRequest(origin, 'GET', params.size > 0 ? `/${name}?${params}` : `/${name}`)

/**
 * Returns a curl command that requests the records shown on a list page, or undefined if the API does not support the view. Before running
 * the command, the user sets `$KEY` to an API key.
 *
 * @param origin the server's public origin, without a trailing slash
 * @param query the list page's query
 */
export function buildCurlCommand(origin: string, resource: ResourceName, table: TableQuery, query: URLSearchParams): string | undefined {
  if (table.isAscending || !asListQuery(table) || !isSameSearch(table)) return undefined
  return formatCurl(origin, resource, toApiParams(query, table.created))
}

/** Like `buildCurlCommand`, but for the tickets table. */
export function buildTicketCurl(origin: string, table: TicketQuery, query: URLSearchParams): string | undefined {
  const filters = [table.statuses, table.checkInStatuses, table.pageIds, table.typeIds]
  const isSupported =
    table.sort === 'createdAt' &&
    !table.isAscending &&
    filters.every((values) => values.length <= 1) &&
    table.checkedIn === undefined &&
    table.ids === undefined &&
    (table.search === undefined || /^\S*[@\d]\S*$/.test(table.search))
  if (!isSupported) return undefined
  const params = toApiParams(query, table.created)
  // The API accepts a single value and does not unescape commas. There may be no ID to send, because the table ignores empty ones.
  params.delete('ticketTypeId')
  if (table.typeIds[0] !== undefined) params.set('ticketTypeId', table.typeIds[0])
  return formatCurl(origin, 'tickets', params)
}
