/** The list operation of a resource. */
import { hasScope } from '../accounts/verify-key'
import type { ResourceName } from '../catalog'
import { listParams } from '../catalog/list-params'
import type { Resource } from '../catalog/resource'
import { type RecordChunks, toListQuery } from '../listing/list-query'
import { listRecords } from '../listing/list-records'
import { parseQuery, type ReplyBody } from './exchange'
import { defineRoute } from './handler'
import type { Route } from './methods'

const COMMA = Buffer.from(',')
const END = Buffer.from(']}')

/** The memory in which bodies are put together. Nothing refers to it after `joinRecords`. V8 would keep longer strings outside of its heap. */
const scratch = Buffer.allocUnsafeSlow(512 * 1024)

/** Joins the records as the bytes that PostgreSQL returned, without decoding them. */
export function joinRecords(head: string, records: RecordChunks[]): ReplyBody {
  const pieces = [Buffer.from(head), ...records.flatMap((chunks, at) => (at === 0 ? chunks : [COMMA, ...chunks])), END]
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
  if (length > scratch.length) return Buffer.concat(pieces, length)
  let end = 0
  for (const piece of pieces) end += piece.copy(scratch, end)
  return { latin1: scratch.toString('latin1', 0, end) }
}

/** `GET /v1/{resource}`: docs/spec.md, "Shared list rules". */
export function listRoute(resource: Resource & { name: ResourceName }): Route {
  const schema = listParams(resource.filters)
  return defineRoute({
    method: 'GET',
    scope: `${resource.name}:read`,
    async run({ request, principal }) {
      const params = parseQuery(request.url, schema)
      const withSecrets = hasScope(principal.scopes, 'secrets:read')
      const { chunks, hasMore, total } = await listRecords(toListQuery(resource, principal.sellerId, params, withSecrets))
      return { status: 200, body: joinRecords(`{"has_more":${hasMore},"total":${total},"data":[`, chunks) }
    },
  })
}
