/** GET /saved-views/counts: returns the number of records in each saved view. Omits views that are invalid or take too long to count. */
import { requireCaller } from '@/app/session'
import { jsonRoute } from '@/app/table-request'
import { listSavedViews, type SavedView } from '@/lib/accounts/saved-views'
import type { SessionUser } from '@/lib/accounts/sessions'
import { isResourceName, resources } from '@/lib/catalog'
import type { Resource } from '@/lib/catalog/resource'
import { tableParams } from '@/lib/catalog/table-params'
import { ticketTableParams } from '@/lib/catalog/ticket-table'
import { ApiError } from '@/lib/core/errors'
import { parseQuery } from '@/lib/http/exchange'
import { toTableQuery } from '@/lib/listing/table-query'
import { toTicketQuery } from '@/lib/listing/ticket-table'
import { type CountedView, countViews } from '@/lib/reports/count-views'

/** Record counts by view ID. */
export type ViewCounts = { counts: Record<string, number> }

/** Returns the query of a view, or undefined if there is no such table. @throws {ApiError} if the filters are not valid */
function toQuery({ sellerId, timeZone }: SessionUser, { resource: name, query }: SavedView): CountedView['query'] | undefined {
  if (name === 'tickets') return toTicketQuery(sellerId, parseQuery(`?${query}`, ticketTableParams), timeZone)
  if (!isResourceName(name)) return undefined
  const resource: Resource = resources[name]
  return toTableQuery(resource, sellerId, parseQuery(`?${query}`, tableParams(resource)), timeZone)
}

/** Returns the view to count, or an empty array if its filters are no longer valid. The view's page shows the error. */
function toCountableViews(user: SessionUser, view: SavedView): CountedView[] {
  try {
    const query = toQuery(user, view)
    return query ? [{ id: view.id, path: `${view.resource}?${view.query}`, query }] : []
  } catch (error) {
    if (error instanceof ApiError) return []
    throw error
  }
}

export const GET = jsonRoute(async (): Promise<ViewCounts> => {
  const user = await requireCaller('records')
  const views = await listSavedViews(user)
  return {
    counts: await countViews(
      user.sellerId,
      views.flatMap((view) => toCountableViews(user, view)),
    ),
  }
})
