/** The list operation of a resource. */
import { hasScope } from '../accounts/verify-key'
import type { ResourceName } from '../catalog'
import { listParams } from '../catalog/list-params'
import type { Resource } from '../catalog/resource'
import { type RecordChunks, toListQuery } from '../listing/list-query'
import { listChunks } from '../listing/list-records'
import { parseQuery } from './exchange'
import { defineRoute, type RouteResult } from './handler'
import type { Route } from './methods'
import { takeBuffer } from './unread-responses'

const COMMA = 44 // ','
const END = Buffer.from(']}')

/**
 * Returns the body of a list. Copies the bytes of the records as PostgreSQL returned them, without decoding them.
 *
 * @param head the beginning of the body, up to the first record, in ASCII
 */
export function joinRecords(head: string, records: RecordChunks[]): Buffer<ArrayBuffer> {
  let length = head.length + END.length + Math.max(0, records.length - 1)
  for (const chunks of records) for (const chunk of chunks) length += chunk.length
  const body = takeBuffer(length)
  let end = body.write(head, 'latin1')
  for (const [index, chunks] of records.entries()) {
    if (index > 0) body[end++] = COMMA
    for (const chunk of chunks) {
      body.set(chunk, end)
      end += chunk.length
    }
  }
  body.set(END, end)
  return body
}

/** Returns the response with a page of a list. */
export const listResult = ({ rows, hasMore, total }: { rows: RecordChunks[]; hasMore: boolean; total: number }): RouteResult => ({
  status: 200,
  body: joinRecords(`{"has_more":${hasMore},"total":${total},"data":[`, rows),
})

/** Returns the route of `GET /v1/{resource}` (docs/spec.md, "Shared list rules"). */
export function listRoute(resource: Resource & { name: ResourceName }): Route {
  const schema = listParams(resource.filters)
  return defineRoute({
    method: 'GET',
    scope: `${resource.name}:read`,
    async run({ request, principal }) {
      const params = parseQuery(request.url, schema)
      const withSecrets = hasScope(principal.scopes, 'secrets:read')
      return listResult(await listChunks(toListQuery(resource, principal.sellerId, params, withSecrets)))
    },
  })
}
