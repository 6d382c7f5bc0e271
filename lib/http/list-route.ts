/** The list operation of a resource. */
import { hasScope } from '../accounts/verify-key'
import type { ResourceName } from '../catalog'
import { listParams } from '../catalog/list-params'
import type { Resource } from '../catalog/resource'
import { type RecordChunks, toListQuery } from '../listing/list-query'
import { listRecords } from '../listing/list-records'
import { parseQuery } from './exchange'
import { defineRoute } from './handler'
import type { Route } from './methods'

const COMMA = Buffer.from(',')
const END = Buffer.from(']}')

/** Sends the records as the bytes that PostgreSQL returned, without decoding them. */
export function bodyOf(head: string, records: RecordChunks[]): Uint8Array<ArrayBuffer> {
  return Buffer.concat([Buffer.from(head), ...records.flatMap((pieces, at) => (at === 0 ? pieces : [COMMA, ...pieces])), END])
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
      return { status: 200, body: bodyOf(`{"has_more":${hasMore},"total":${total},"data":[`, chunks) }
    },
  })
}
