/** The list operation of a resource. */
import { hasScope, type Scope } from '../auth/scopes'
import { listRecords } from '../records/list'
import { listParams } from '../records/list-params'
import type { Resource } from '../records/resource'
import { defineRoute, type Route } from './handler'
import { parseQuery } from './params'

/** `GET /v1/{resource}`: docs/spec.md, "Shared list rules". */
export function listRoute(resource: Resource): Route {
  const schema = listParams(resource.filters)
  const scope: Scope = `${resource.name}:read`
  return defineRoute({
    method: 'GET',
    scope,
    async run({ request, principal }) {
      const params = parseQuery(request.url, schema)
      const { records, hasMore, total } = await listRecords(
        resource,
        principal.sellerId,
        params,
        hasScope(principal.scopes, 'secrets:read'),
      )
      return { status: 200, body: `{"has_more":${hasMore},"total":${total},"data":[${records.join(',')}]}` }
    },
  })
}
