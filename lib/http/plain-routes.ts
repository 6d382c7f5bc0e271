/** `GET /v1/tickets`, `GET /v1/pages`, and their single reads. */
import { hasScope } from '../accounts/verify-key'
import { pageParams, pages } from '../catalog/pages'
import type { RecordType } from '../catalog/resource'
import { tickets } from '../catalog/ticket'
import { ticketParams } from '../catalog/ticket-operations'
import { pageList } from '../listing/list-pages'
import { ticketList } from '../listing/list-tickets'
import { findPlain, listPlain, type PlainList, type PlainParams } from '../listing/plain-list'
import { etagOf } from './etag'
import { noParams, parseQuery } from './exchange'
import { type Call, defineRoute, type RouteResult } from './handler'
import { bodyOf } from './list-route'
import { parseId, recordNotFoundError } from './record-route'

async function respondWithList({ principal }: Call, list: PlainList, params: PlainParams): Promise<RouteResult> {
  const { rows, hasMore, total } = await listPlain(list, principal.sellerId, params)
  return { status: 200, body: bodyOf(`{"has_more":${hasMore},"total":${total},"data":[`, rows) }
}

async function respondWithOne({ request, principal, path }: Call, list: PlainList, type: RecordType): Promise<RouteResult> {
  parseQuery(request.url, noParams)
  const id = parseId(path.id)
  const found = await findPlain(list, principal.sellerId, id)
  const [record] = found ?? []
  if (!found || !record) throw recordNotFoundError(type, id)
  // Without the secrets, so that it is the same for every key. With them, the first piece lacks the closing brace.
  const tag = etagOf(found.length === 1 ? record.toString() : `${record}}`)
  return { status: 200, body: `{"data":${Buffer.concat(found)}}`, headers: { ETag: tag } }
}

export const pagesRoute = defineRoute({
  method: 'GET',
  scope: 'pages:read',
  run: (call) => respondWithList(call, pageList, parseQuery(call.request.url, pageParams)),
})

export const pageRoute = defineRoute({ method: 'GET', scope: 'pages:read', run: (call) => respondWithOne(call, pageList, pages) })

const withCodes = ({ principal }: Call) => hasScope(principal.scopes, 'tickets:codes')

export const ticketsRoute = defineRoute({
  method: 'GET',
  scope: 'tickets:read',
  run(call) {
    const params = parseQuery(call.request.url, ticketParams)
    return respondWithList(call, ticketList(call.principal.sellerId, params, withCodes(call)), params)
  },
})

export const ticketRoute = defineRoute({
  method: 'GET',
  scope: 'tickets:read',
  run: (call) => respondWithOne(call, ticketList(call.principal.sellerId, {}, withCodes(call)), tickets),
})
