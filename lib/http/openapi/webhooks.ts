/** The OpenAPI operations that read webhook endpoints and their deliveries. */
import { DELIVERY_EXAMPLE, deliveryParams } from '../../catalog/webhook-delivery'
import { endpointIdParam, endpointParams, webhookEndpoints } from '../../catalog/webhook-endpoint'
import { recordNotFoundError } from '../record-route'
import { RATE_HEADERS, referToHeaders } from './errors'
import { LIST_ERRORS, listParameters, toPaths, unknownParameterExample } from './lists'
import { idParameter, jsonContent, keyErrorResponses, security } from './parts'
import { DELIVERY_SAMPLES } from './samples'
import type { OperationObject, PathItem } from './types'

const SCOPE = 'webhooks:manage'

const deliveriesOperation: OperationObject = {
  operationId: 'listWebhookDeliveries',
  tags: [webhookEndpoints.label.many],
  summary: 'List deliveries',
  description:
    'Returns a list of the endpoint’s deliveries from the last 30 days, newest first, each with its status and its last attempt. There is no `total`.',
  security: security(SCOPE),
  parameters: [
    idParameter(webhookEndpoints, endpointIdParam),
    ...listParameters({ name: 'deliveries', params: deliveryParams, noun: ['a delivery’s event', 'deliveries'] }),
  ],
  responses: {
    '200': {
      description: 'A list of deliveries.',
      headers: referToHeaders(RATE_HEADERS),
      content: jsonContent('WebhookDeliveryList', {
        page: { summary: 'A response with one delivery.', value: { has_more: false, data: [DELIVERY_EXAMPLE] } },
      }),
    },
    ...keyErrorResponses(SCOPE, [...LIST_ERRORS, 'record_not_found'], {
      parameter_invalid: { message: 'id must be the id of a webhook endpoint, such as we_6b0120895a117e0002000802.', param: 'id' },
      parameter_unknown: unknownParameterExample(deliveryParams),
      resource_missing: {
        message:
          "No delivery for an event with id 'evt_00000000000000000000000a'. Use the eventId of the first or last delivery of a previous response.",
      },
      record_not_found: { message: recordNotFoundError(webhookEndpoints, 'we_00000000000000000000000a').message },
    }),
  },
  'x-codeSamples': DELIVERY_SAMPLES,
}

/** Returns the operations by path. */
export const makeWebhookPaths = (): Record<string, PathItem> => ({
  ...toPaths([
    {
      ...webhookEndpoints,
      scope: SCOPE,
      params: endpointParams,
      printedMember: 'url',
      id: endpointIdParam,
      noun: ['an endpoint', 'endpoints'],
      listSuffix: ', without their secrets.',
      recordSuffix: ', without its secret.',
    },
  ]),
  '/v1/webhook_endpoints/{id}/deliveries': { get: deliveriesOperation },
})
