/** The list operation of a resource. */
import { hasScope } from '../accounts/verify-key'
import type { ResourceName } from '../catalog'
import { listParams } from '../catalog/list-params'
import type { Resource } from '../catalog/resource'
import { type RecordChunks, toListQuery } from '../listing/list-query'
import { listChunks } from '../listing/list-records'
import { parseQuery, type ReplyBody } from './exchange'
import { defineRoute } from './handler'
import type { Route } from './methods'

const COMMA = 44 // ','
const END = Buffer.from(']}')

/**
 * The buffer for assembling bodies that are returned as strings. Longer bodies stay buffers: V8 keeps longer strings outside its regular heap
 * too, and converting them to a string and back took a third of the time of a list of 100 records.
 */
const scratch = Buffer.allocUnsafeSlow(128 * 1024)

/** Returns the body of a list. Copies the bytes of the records as PostgreSQL returned them, without decoding them. */
export function joinRecords(head: string, records: RecordChunks[]): ReplyBody {
  let length = head.length + END.length + Math.max(0, records.length - 1)
  for (const chunks of records) for (const chunk of chunks) length += chunk.length
  const isShort = length <= scratch.length
  const body = isShort ? scratch : Buffer.allocUnsafeSlow(length)
  let end = body.write(head, 'latin1')
  for (const [index, chunks] of records.entries()) {
    if (index > 0) body[end++] = COMMA
    for (const chunk of chunks) {
      body.set(chunk, end)
      end += chunk.length
    }
  }
  body.set(END, end)
  return isShort ? { latin1: scratch.toString('latin1', 0, length) } : body
}

/** Returns the route of `GET /v1/{resource}` (docs/spec.md, "Shared list rules"). */
export function listRoute(resource: Resource & { name: ResourceName }): Route {
  const schema = listParams(resource.filters)
  return defineRoute({
    method: 'GET',
    scope: `${resource.name}:read`,
    async run({ request, principal }) {
      const params = parseQuery(request.url, schema)
      const withSecrets = hasScope(principal.scopes, 'secrets:read')
      const { rows, hasMore, total } = await listChunks(toListQuery(resource, principal.sellerId, params, withSecrets))
      return { status: 200, body: joinRecords(`{"has_more":${hasMore},"total":${total},"data":[`, rows) }
    },
  })
}
