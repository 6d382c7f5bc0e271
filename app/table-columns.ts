/** Stores the table columns that a user has shown or hidden. */
import { z } from 'zod'
import { saveColumns, type TableName } from '@/lib/accounts/preferences'
import type { Column } from '@/lib/catalog/columns'
import { ApiError } from '@/lib/core/errors'
import { readJson } from '@/lib/http/body'
import { isSameOrigin } from '@/lib/http/same-origin'
import { requestErrors } from './copy/request-errors'
import { requireCaller } from './session'
import { jsonRoute } from './table-request'

/**
 * Returns a handler that stores the visibility of columns.
 *
 * @param find returns the request's table
 */
export const columnsRoute = <Context>(find: (context: Context) => Promise<{ name: TableName; columns: readonly Column[] }>) =>
  jsonRoute(async (request, context: Context) => {
    if (!isSameOrigin(request.headers)) throw new ApiError('scope_missing', requestErrors.otherSite)
    const { userId } = await requireCaller('records')
    const { name, columns } = await find(context)
    // The first column links to the record and is always shown.
    const keys = new Set(columns.slice(1).map(({ key }) => key))
    const parsed = z.strictObject({ shown: z.record(z.string(), z.boolean()) }).safeParse(await readJson(request))
    if (!parsed.success || Object.keys(parsed.data.shown).some((key) => !keys.has(key)))
      throw new ApiError('body_invalid', requestErrors.unknownColumn)
    await saveColumns(userId, name, parsed.data.shown)
    return new Response(null, { status: 204, headers: { 'Cache-Control': 'no-store' } })
  })
