/** The operations that read webhook endpoints and their deliveries in the document. */
import { z } from 'zod'
import { PAGE_SIZE } from '../../catalog/list-params'
import { DELIVERY_EXAMPLE, deliveryParams } from '../../catalog/webhook-delivery'
import { endpointIdParam, webhookEndpoints } from '../../catalog/webhook-endpoint'
import { recordNotFoundError } from '../record-route'
import { endpointParams } from '../webhook-routes'
import { headersOf, RATE_HEADERS, refusals } from './errors'
import { ALWAYS, idParameter, json, recordResponse, security } from './parts'
import { deliverySamples, listSamples, recordSamples } from './samples'
import type { OperationObject, Parameter, PathItem, Schema } from './types'

const TAG = webhookEndpoints.label.many
const UNKNOWN = 'we_00000000000000000000000a'
const scopeMissing = { message: "This API key lacks the scope 'webhooks:manage'. Use a key that has it." }

const ID_INVALID = { message: 'id must be the id of a webhook endpoint, such as we_6b0120895a117e0002000802.', param: 'id' }
const ENDPOINT_UNKNOWN = { message: recordNotFoundError(webhookEndpoints, UNKNOWN).message }

const PARAMETERS: Record<string, string> = {
  limit: 'Number of endpoints to return.',
  starting_after: 'ID of an endpoint. Returns the endpoints after it, which are older. Can’t be combined with `ending_before`.',
  ending_before: 'ID of an endpoint. Returns the endpoints before it, which are newer. Can’t be combined with `starting_after`.',
}

const DELIVERY_PARAMETERS: Record<string, string> = {
  limit: 'Number of deliveries to return.',
  starting_after:
    'ID of an event. Returns the deliveries after that of the event, which are older. Can’t be combined with `ending_before`.',
  ending_before:
    'ID of an event. Returns the deliveries before that of the event, which are newer. Can’t be combined with `starting_after`.',
  status: 'Only return deliveries with this status.',
}

function parameters(params: z.ZodObject, descriptions: Record<string, string>): Parameter[] {
  const { properties } = z.toJSONSchema(params, { io: 'input' }) as { properties: Record<string, Schema> }
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    description: descriptions[name] ?? '',
    schema: name === 'limit' ? { type: 'integer', minimum: PAGE_SIZE.least, maximum: PAGE_SIZE.most, default: PAGE_SIZE.usual } : schema,
  }))
}

const list = (base: string): OperationObject => ({
  operationId: 'listWebhookEndpoints',
  tags: [TAG],
  summary: 'List webhook endpoints',
  description: 'Returns a page of webhook endpoints, newest first, without their secrets.',
  security: security('webhooks:manage'),
  parameters: parameters(endpointParams, PARAMETERS),
  responses: {
    '200': {
      description: 'A page of webhook endpoints.',
      headers: headersOf(RATE_HEADERS),
      content: json('WebhookEndpointList', {
        page: { summary: 'A page with one endpoint.', value: { has_more: false, total: 1, data: [webhookEndpoints.example] } },
      }),
    },
    ...refusals(['parameter_invalid', 'parameter_unknown', 'parameter_repeated', 'parameters_exclusive', 'resource_missing', ...ALWAYS], {
      resource_missing: {
        message: `No webhook endpoint with id '${UNKNOWN}'. Use the id of the first or last endpoint of a previous page.`,
      },
      parameter_unknown: { message: `Unknown parameter 'stauts'. Use ${Object.keys(endpointParams.shape).join(', ')}.` },
      scope_missing: scopeMissing,
    }),
  },
  'x-codeSamples': listSamples(base, 'webhook_endpoints', 'url'),
})

const get = (base: string): OperationObject => ({
  operationId: 'getWebhookEndpoint',
  tags: [TAG],
  summary: 'Get a webhook endpoint',
  description: 'Returns a webhook endpoint by its ID, without its secret.',
  security: security('webhooks:manage'),
  parameters: [idParameter(webhookEndpoints, endpointIdParam)],
  responses: {
    '200': recordResponse(webhookEndpoints, 'The webhook endpoint.'),
    ...refusals(['parameter_invalid', 'parameter_unknown', 'path_invalid', 'record_not_found', ...ALWAYS], {
      parameter_invalid: ID_INVALID,
      parameter_unknown: { message: "Unknown parameter 'expand'. This operation takes no query parameters.", param: 'expand' },
      record_not_found: ENDPOINT_UNKNOWN,
      scope_missing: scopeMissing,
    }),
  },
  'x-codeSamples': recordSamples(base, 'webhook_endpoints', 'webhook endpoint', 'url'),
})

const deliveries = (base: string): OperationObject => ({
  operationId: 'listWebhookDeliveries',
  tags: [TAG],
  summary: 'List deliveries',
  description:
    'Returns a page of the events of the last 30 days that were sent to the endpoint, newest first, each with its status and the last attempt. There is no `total`.',
  security: security('webhooks:manage'),
  parameters: [idParameter(webhookEndpoints, endpointIdParam), ...parameters(deliveryParams, DELIVERY_PARAMETERS)],
  responses: {
    '200': {
      description: 'A page of deliveries.',
      headers: headersOf(RATE_HEADERS),
      content: json('WebhookDeliveryList', {
        page: { summary: 'A page with one delivery.', value: { has_more: false, data: [DELIVERY_EXAMPLE] } },
      }),
    },
    ...refusals(
      [
        'parameter_invalid',
        'parameter_unknown',
        'parameter_repeated',
        'parameters_exclusive',
        'resource_missing',
        'path_invalid',
        'record_not_found',
        ...ALWAYS,
      ],
      {
        parameter_invalid: ID_INVALID,
        parameter_unknown: { message: `Unknown parameter 'stauts'. Use ${Object.keys(deliveryParams.shape).join(', ')}.` },
        resource_missing: {
          message:
            "No delivery of an event with id 'evt_00000000000000000000000a'. Use the eventId of the first or last delivery of a previous page.",
        },
        record_not_found: ENDPOINT_UNKNOWN,
        scope_missing: scopeMissing,
      },
    ),
  },
  'x-codeSamples': deliverySamples(base),
})

/** Returns the operations that read webhook endpoints and their deliveries, by path. @param base the server's URL, for the code samples */
export const webhookPaths = (base: string): Record<string, PathItem> => ({
  '/v1/webhook_endpoints': { get: list(base) },
  '/v1/webhook_endpoints/{id}': { get: get(base) },
  '/v1/webhook_endpoints/{id}/deliveries': { get: deliveries(base) },
})
