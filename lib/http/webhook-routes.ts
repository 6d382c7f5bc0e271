/** The operations of webhook endpoints. */
import { z } from 'zod'
import { limitParam } from '../catalog/list-params'
import { endpointIdParam, webhookEndpoints } from '../catalog/webhook-endpoint'
import * as operations from '../catalog/webhook-operations'
import {
  createEndpoint,
  deleteEndpoint,
  findEndpoint,
  listEndpoints,
  lockEndpoint,
  rotateSecret,
  updateEndpoint,
} from '../webhooks/endpoints'
import { sendAgain, sendTestEvent } from '../webhooks/send-again'
import { etagOf } from './etag'
import { noParams, parseQuery } from './exchange'
import { defineRoute } from './handler'
import { combineRoutes } from './methods'
import { parseId, recordNotFoundError } from './record-route'
import { changeRoute, createRoute } from './write-route'

const SCOPE = 'webhooks:manage'

/** The query parameters of `GET /v1/webhook_endpoints`. */
export const endpointParams = z.strictObject({
  limit: limitParam,
  starting_after: endpointIdParam.optional(),
  ending_before: endpointIdParam.optional(),
})

const list = defineRoute({
  method: 'GET',
  scope: SCOPE,
  async run({ request, principal }) {
    const { rows, hasMore, total } = await listEndpoints(principal.sellerId, parseQuery(request.url, endpointParams))
    return { status: 200, body: `{"has_more":${hasMore},"total":${total},"data":[${rows.join(',')}]}` }
  },
})

const get = defineRoute({
  method: 'GET',
  scope: SCOPE,
  async run({ request, principal, path }) {
    parseQuery(request.url, noParams)
    const id = parseId(path.id, endpointIdParam)
    const record = await findEndpoint(principal.sellerId, id)
    if (record === undefined) throw recordNotFoundError(webhookEndpoints, id)
    return { status: 200, body: `{"data":${record}}`, headers: { ETag: etagOf(record) } }
  },
})

const create = createRoute(operations.createEndpoint, ({ connection, sellerId, by, body }) =>
  createEndpoint(connection, sellerId, by, body),
)

const update = changeRoute(operations.updateEndpoint, lockEndpoint, ({ connection, sellerId, by, current, body }) =>
  updateEndpoint(connection, sellerId, by, current, body),
)

const remove = changeRoute(operations.deleteEndpoint, lockEndpoint, async ({ connection, sellerId, by, current }) => {
  await deleteEndpoint(connection, sellerId, by, current)
  return current
})

/** `GET` and `POST /v1/webhook_endpoints` */
export const webhookEndpointsRoute = combineRoutes(list, create)

/** `GET`, `PATCH` and `DELETE /v1/webhook_endpoints/{id}` */
export const webhookEndpointRoute = combineRoutes(get, update, remove)

/** `POST /v1/webhook_endpoints/{id}/rotate` */
export const rotateSecretRoute = changeRoute(operations.rotateSecret, lockEndpoint, ({ connection, sellerId, by, current }) =>
  rotateSecret(connection, sellerId, by, current),
)

/** `POST /v1/webhook_endpoints/{id}/test` */
export const testEndpointRoute = changeRoute(operations.sendTestEvent, lockEndpoint, async ({ connection, sellerId, current }) => {
  await sendTestEvent(connection, sellerId, current)
  return current
})

/** `POST /v1/webhook_endpoints/{id}/resend` */
export const resendRoute = changeRoute(operations.resendEvents, lockEndpoint, async ({ connection, sellerId, current, body }) => {
  await sendAgain(connection, sellerId, current, body)
  return current
})
