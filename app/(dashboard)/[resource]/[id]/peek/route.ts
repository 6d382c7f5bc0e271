/** GET /payments/ID/peek: the essentials of a record, for the drawer next to its table. */

import { requireCaller } from '@/app/session'
import { jsonRoute } from '@/app/table-request'
import { isResourceName } from '@/lib/catalog'
import { ApiError } from '@/lib/core/errors'
import { loadRecord } from '../load-record'
import { toPeek } from '../peek-view'

type Context = { params: Promise<{ resource: string; id: string }> }

export const GET = jsonRoute(async (_request, { params }: Context) => {
  const { resource: name, id } = await params
  const user = await requireCaller('records')
  const loaded = isResourceName(name) ? await loadRecord(user, name, id, async () => undefined) : undefined
  if (!loaded) throw new ApiError('record_not_found', 'This record no longer exists. Reload the table.')
  return toPeek(loaded, user.timeZone)
})
