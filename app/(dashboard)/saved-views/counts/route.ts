/** GET /saved-views/counts: returns the number of records in each saved view, for the sidebar. Omits views that take too long to count. */
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

export type ViewCounts = { counts: Record<string, number> }

function parseView({ sellerId, timeZone }: SessionUser, { resource: name, query }: SavedView): CountedView['query'] | undefined {
  if (name === 'tickets') return toTicketQuery(sellerId, parseQuery(`?${query}`, ticketTableParams), timeZone)
  if (!isResourceName(name)) return undefined
  const resource: Resource = resources[name]
  return toTableQuery(resource, sellerId, parseQuery(`?${query}`, tableParams(resource)), timeZone)
}

/** Returns an empty array if the view's filters are no longer valid. The view's page shows the error. */
function toCountedViews(user: SessionUser, view: SavedView): CountedView[] {
  try {
    const query = parseView(user, view)
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
      views.flatMap((view) => toCountedViews(user, view)),
    ),
  }
})
