/** The operation that reads one record of a resource. */
import type { z } from 'zod'
import { hasScope } from '../accounts/verify-key'
import { RESOURCE_NAMES, type ResourceName, resources } from '../catalog'
import { idParam } from '../catalog/list-params'
import type { RecordType, Resource } from '../catalog/resource'
import { ApiError } from '../core/errors'
import { findRecordChunks } from '../listing/find-record'
import type { RecordChunks } from '../listing/list-query'
import { computeEtag } from './etag'
import { noParams, parseQuery } from './exchange'
import { notFoundRoute } from './fallback-route'
import { defineRoute, type RouteResult } from './handler'
import { createRoute, type Handler, type Route } from './methods'

/**
 * Validates and returns the ID in a path.
 *
 * @param schema the format of the ID; by default, 24 hexadecimal digits, which are converted to lowercase
 * @throws {ApiError} `parameter_invalid`
 */
export function parseId(id: string | undefined, schema: z.ZodType<string> = idParam): string {
  const result = schema.safeParse(id)
  if (result.success) return result.data
  throw new ApiError('parameter_invalid', `id ${result.error.issues[0]?.message}.`, 'id')
}

/** Returns the error for an unknown ID, which is also used for another seller's ID. */
export function recordNotFoundError({ label }: Pick<RecordType, 'label'>, id: string): ApiError {
  const message = `No ${label.one.toLowerCase()} with id '${id}'. Check the id, or list the ${label.many.toLowerCase()} to find it.`
  return new ApiError('record_not_found', message, 'id')
}

/** Returns the response with one record. Its ETag does not depend on the secrets, so it is the same for every key. */
export function recordResult(found: RecordChunks): RouteResult {
  // If the secrets are in a second part, the first lacks its closing brace.
  const tag = computeEtag(found.length === 1 ? String(found[0]) : `${found[0]}}`)
  return { status: 200, body: `{"data":${Buffer.concat(found)}}`, headers: { ETag: tag } }
}

/**
 * Returns the route of `GET /v1/{resource}/{id}`, which returns the record as lists do, with the same scope and the same secrets.
 * `defineChangeRoute` compares If-Match with the same ETag.
 */
export function recordRoute(resource: Resource & { name: ResourceName }): Route {
  return defineRoute({
    method: 'GET',
    scope: `${resource.name}:read`,
    async run({ request, principal, path }) {
      parseQuery(request.url, noParams)
      const id = parseId(path.id)
      const found = await findRecordChunks(resource, principal.sellerId, id, hasScope(principal.scopes, 'secrets:read'))
      if (!found) throw recordNotFoundError(resource, id)
      return recordResult(found)
    },
  })
}

const handlers = new Map<string | undefined, Handler>(RESOURCE_NAMES.map((name) => [name, recordRoute(resources[name]).GET.handle]))

/** The route for reading one record of any resource that has no more specific route. */
export const recordRoutes: Route = createRoute((request, params) =>
  (handlers.get(params.resource) ?? notFoundRoute.GET.handle)(request, params),
)
