/** `GET /v1/tickets` and `GET /v1/pages`, and the operations that read one of their records. */
import type { z } from 'zod'
import type { Scope } from '../accounts/scopes'
import { hasScope } from '../accounts/verify-key'
import { pageParams, pages } from '../catalog/pages'
import type { RecordType } from '../catalog/resource'
import { tickets } from '../catalog/ticket'
import { ticketParams } from '../catalog/ticket-operations'
import { type AssembledList, type AssembledListParams, findAssembled, listAssembled } from '../listing/assembled-list'
import { pageList } from '../listing/checkout-page-list'
import { ticketList } from '../listing/list-tickets'
import { noParams, parseQuery } from './exchange'
import { type Call, defineRoute } from './handler'
import { listResult } from './list-route'
import { parseId, recordNotFoundError, recordResult } from './record-route'

type ReadRoutes<Params extends AssembledListParams> = {
  scope: Scope
  /** The schema of the list's query parameters. */
  params: z.ZodObject & z.ZodType<Params>
  type: RecordType
  /** The schema of the ID in the path; by default, 24 hexadecimal digits. */
  id?: z.ZodType<string>
  /** Returns the list to read from. @param params the parameters of a list; empty to read one record */
  list(call: Call, params: Partial<Params>): AssembledList
}

/** Returns the route that lists records and the route that reads one record, for records that are assembled when they are read. */
export function defineReadRoutes<Params extends AssembledListParams>({
  scope,
  params: schema,
  type,
  id: idSchema,
  list,
}: ReadRoutes<Params>) {
  const listRoute = defineRoute({
    method: 'GET',
    scope,
    async run(call) {
      const params = parseQuery(call.request.url, schema)
      return listResult(await listAssembled(list(call, params), call.principal.sellerId, params))
    },
  })
  const recordRoute = defineRoute({
    method: 'GET',
    scope,
    async run(call) {
      parseQuery(call.request.url, noParams)
      const id = parseId(call.path.id, idSchema)
      const found = await findAssembled(list(call, {}), call.principal.sellerId, id)
      if (!found) throw recordNotFoundError(type, id)
      return recordResult(found)
    },
  })
  return { list: listRoute, record: recordRoute }
}

export const pageReadRoutes = defineReadRoutes({ scope: 'pages:read', params: pageParams, type: pages, list: () => pageList })

export const ticketReadRoutes = defineReadRoutes({
  scope: 'tickets:read',
  params: ticketParams,
  type: tickets,
  list: ({ principal }, params) => ticketList(principal.sellerId, params, hasScope(principal.scopes, 'tickets:codes')),
})
