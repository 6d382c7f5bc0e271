/** The operations on webhook endpoints and their deliveries. */
import { deliveryParams, type WebhookDelivery } from '../catalog/webhook-delivery'
import { endpointIdParam, endpointParams, webhookEndpoints } from '../catalog/webhook-endpoint'
import * as operations from '../catalog/webhook-operations'
import {
  createEndpoint,
  deleteEndpoint,
  endpointList,
  findEndpoint,
  lockEndpoint,
  rotateSecret,
  updateEndpoint,
} from '../webhooks/endpoints'
import { type Delivery, listDeliveries } from '../webhooks/list-deliveries'
import { resendEvents, sendTestEvent } from '../webhooks/resend-events'
import { parseQuery } from './exchange'
import { defineRoute } from './handler'
import { combineRoutes } from './methods'
import { defineReadRoutes } from './read-routes'
import { parseId, recordNotFoundError } from './record-route'
import { defineChangeRoute, defineCreateRoute } from './write-route'

const SCOPE = 'webhooks:manage'

const read = defineReadRoutes({
  scope: SCOPE,
  params: endpointParams,
  type: webhookEndpoints,
  id: endpointIdParam,
  list: () => endpointList,
})

const create = defineCreateRoute(operations.createEndpoint, createEndpoint)

const update = defineChangeRoute(operations.updateEndpoint, lockEndpoint, updateEndpoint)

const remove = defineChangeRoute(operations.deleteEndpoint, lockEndpoint, async (connection, sellerId, editor, current) => {
  await deleteEndpoint(connection, sellerId, editor, current)
  return current
})

/** Converts a delivery to the object that the API returns. */
function toApiDelivery({ eventId, type, createdAt, state, attempts, nextAt, last }: Delivery): WebhookDelivery {
  return {
    eventId,
    ...(type === null ? {} : { type }),
    status: state,
    attempts,
    createdAt,
    ...(state === 'pending' ? { nextAttemptAt: nextAt } : {}),
    ...(last && {
      lastAttempt: {
        at: last.at,
        ...(last.status === null ? {} : { status: last.status }),
        ...(last.error === null ? {} : { error: last.error }),
        durationMs: last.ms,
        ...(last.responseBody ? { responseBody: last.responseBody } : {}),
      },
    }),
  }
}

/** `GET /v1/webhook_endpoints/{id}/deliveries` */
export const deliveriesRoute = defineRoute({
  method: 'GET',
  scope: SCOPE,
  async run({ request, principal: { sellerId }, path }) {
    const params = parseQuery(request.url, deliveryParams)
    const id = parseId(path.id, endpointIdParam)
    if ((await findEndpoint(sellerId, id)) === undefined) throw recordNotFoundError(webhookEndpoints, id)
    const { rows, hasMore } = await listDeliveries(sellerId, id, params)
    return { status: 200, body: JSON.stringify({ has_more: hasMore, data: rows.map(toApiDelivery) }) }
  },
})

/** `GET` and `POST /v1/webhook_endpoints` */
export const webhookEndpointsRoute = combineRoutes(read.list, create)

/** `GET`, `PATCH` and `DELETE /v1/webhook_endpoints/{id}` */
export const webhookEndpointRoute = combineRoutes(read.record, update, remove)

/** `POST /v1/webhook_endpoints/{id}/rotate` */
export const rotateSecretRoute = defineChangeRoute(operations.rotateSecret, lockEndpoint, rotateSecret)

/** `POST /v1/webhook_endpoints/{id}/test` */
export const testEndpointRoute = defineChangeRoute(operations.sendTestEvent, lockEndpoint, async (connection, sellerId, _by, current) =>
  JSON.stringify(await sendTestEvent(connection, sellerId, current)),
)

/** `POST /v1/webhook_endpoints/{id}/resend` */
export const resendRoute = defineChangeRoute(operations.resendEvents, lockEndpoint, async (connection, sellerId, _by, current, body) => {
  await resendEvents(connection, sellerId, current, body)
  return current
})
