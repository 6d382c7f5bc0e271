/** POST /payments/columns: stores which of the table's columns the user has shown or hidden. */
import { requestErrors } from '@/app/copy/request-errors'
import { columnsRoute } from '@/app/table-columns'
import type { TableContext } from '@/app/table-request'
import { isResourceName, resources } from '@/lib/catalog'
import { ApiError } from '@/lib/core/errors'

export const POST = columnsRoute(async ({ params }: TableContext) => {
  const { resource: name } = await params
  if (!isResourceName(name)) throw new ApiError('route_not_found', requestErrors.unknownList)
  return { name, columns: resources[name].columns }
})
