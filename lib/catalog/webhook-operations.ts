/** Defines the operations that manage webhook endpoints and resend events, and the schemas of their bodies. */
import ipaddr from 'ipaddr.js'
import { z } from 'zod'
import { env } from '../core/env'
import { isPublicAddress } from '../core/public-address'
import { isEventType, TEST_EVENT } from './event-types'
import { boundedText, flag, instant } from './shapes'
import { DELIVERY_EXAMPLE } from './webhook-delivery'
import { EXAMPLE_SECRET, endpointIdParam, webhookEndpoints } from './webhook-endpoint'
import { defineWrite } from './write-operation'

/** The maximum length of a URL, in characters. */
const MAX_URL = 2_000

/** Returns whether a host is a public address, or a name other than localhost. A name's address is checked when the server connects. */
function isPublicHost(host: string): boolean {
  const address = host.replace(/^\[|\]$/g, '')
  return ipaddr.isValid(address) ? isPublicAddress(address) : !/^(localhost|.+\.localhost)\.?$/i.test(address)
}

/** Returns what is wrong with a URL, or undefined if it is valid. */
function findUrlFault(value: string): string | undefined {
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (url && url.href.length > MAX_URL) return `must have at most ${MAX_URL} characters once it is encoded`
  if (!url || !/^https?:$/.test(url.protocol)) return 'must be a URL such as https://shop.example.com/webhooks'
  if (url.username || url.password) return 'must not contain credentials: the signature proves that the server sent an event'
  if (env().WEBHOOK_ALLOW_PRIVATE_ADDRESSES === 'true') return undefined
  if (!isPublicHost(url.hostname))
    return 'must have a public address. To receive events on your own machine, forward them as in the webhook quickstart: /docs#webhook-quickstart'
  return url.protocol === 'https:' ? undefined : 'must start with https://'
}

const url = boundedText(1, MAX_URL)
  .superRefine((value, context) => {
    const fault = findUrlFault(value)
    if (fault) context.addIssue({ code: 'custom', message: fault })
  })
  // The conversion also runs on an invalid URL.
  .overwrite((value) => (URL.canParse(value) ? new URL(value).href : value))

const type = z
  .string()
  .refine((name) => name === '*' || (isEventType(name) && name !== TEST_EVENT), 'must be * or the type of an event, such as payment.paid')
const types = z
  .array(type)
  .min(1, 'must have at least one type')
  .overwrite((names) => [...new Set(names)])
const events = z.union([z.literal('*').transform((all) => [all]), types], 'must be * or a list of event types')
const description = boundedText(1, 200).refine(
  (value) => !/\p{Cc}/u.test(value) && value.isWellFormed(),
  'must not contain control characters',
)

const { shape } = webhookEndpoints.record
const EVENTS = 'Types of the events to send, or `*` for all types, including future ones. Stored as a list.'
const getDescription = (name: keyof typeof shape) => shape[name].description ?? ''
const URL_RULES = 'URL that receives the events. Must use `https` and have a public address. Stored in normalized form.'

export const createEndpointBody = z
  .strictObject({
    url: url.describe(URL_RULES),
    events: events.describe(EVENTS),
    description: description.optional().describe(getDescription('description')),
    enabled: flag.optional().describe(`${getDescription('enabled')} Default: \`true\`.`),
  })
  .meta({ id: 'CreateWebhookEndpointBody', description: 'A new webhook endpoint.' })

export const updateEndpointBody = z
  .strictObject({
    url: url.optional().describe(URL_RULES),
    events: events.optional().describe(EVENTS),
    description: description.nullable().optional().describe('Description for your own use. `null` removes it.'),
    enabled: flag.optional().describe(getDescription('enabled')),
  })
  .meta({ id: 'UpdateWebhookEndpointBody', description: 'The members of a webhook endpoint to change.' })

export const resendBody = z
  .strictObject({
    eventId: z.string().optional().describe('ID of the event to send. It need not have been sent to the endpoint before.'),
    failedSince: instant.optional().describe('Resend all events with a failed delivery that was created at this time or later.'),
  })
  .superRefine(({ eventId, failedSince }, context) => {
    if ((eventId === undefined) === (failedSince === undefined))
      context.addIssue({ code: 'custom', path: ['eventId'], message: 'or failedSince must be sent, but not both' })
  })
  .meta({
    id: 'ResendEventsBody',
    description: 'The events to resend: one event, or all with a failed delivery that was created since a given time.',
  })

/** The time limit for resending events, in milliseconds. An endpoint can have hundreds of thousands of failed deliveries. */
export const RESEND_MS = 30_000

/** The time of the change in the examples. */
const CHANGED_AT = '2026-11-22T09:00:00.000Z'

/** The properties that all these operations have. */
const shared = { record: webhookEndpoints, scope: 'webhooks:manage', idParam: endpointIdParam } as const
const urlInvalidError = { body_invalid: { message: 'url must start with https://.', param: 'url' } }
const disabledError = { endpoint_disabled: {} }
const { lastAttempt: _, ...newDelivery } = DELIVERY_EXAMPLE

export const createEndpoint = defineWrite({
  ...shared,
  id: 'createWebhookEndpoint',
  method: 'POST',
  path: '/v1/webhook_endpoints',
  summary: 'Create a webhook endpoint',
  description:
    'Creates a webhook endpoint. The response contains its signing secret, which is not returned again: a retry with the same `Idempotency-Key` returns the endpoint without it. A seller can have up to 16 endpoints.',
  body: createEndpointBody,
  example: { url: 'https://shop.example.com/webhooks/desk', events: ['payment.paid', 'ticket.checked_in'] },
  response: { enabled: true, secret: EXAMPLE_SECRET },
  status: 201,
  shownOnce: ['secret'],
  errors: urlInvalidError,
})

export const updateEndpoint = defineWrite({
  ...shared,
  id: 'updateWebhookEndpoint',
  method: 'PATCH',
  path: '/v1/webhook_endpoints/{id}',
  summary: 'Update a webhook endpoint',
  description:
    'Changes the members that you send, and leaves all others unchanged. Enabling an endpoint also clears `failingSince` and `disabledReason`; changing its URL clears `failingSince`. Disabling an endpoint marks its pending deliveries as `failed`. You can [resend](#resendWebhookEvents) them once the endpoint is enabled again.',
  body: updateEndpointBody,
  example: { events: ['*'] },
  response: { updatedAt: CHANGED_AT },
  status: 200,
  errors: urlInvalidError,
})

export const deleteEndpoint = defineWrite({
  ...shared,
  id: 'deleteWebhookEndpoint',
  method: 'DELETE',
  path: '/v1/webhook_endpoints/{id}',
  summary: 'Delete a webhook endpoint',
  description: 'Deletes a webhook endpoint, its deliveries and its signing secret. Events are kept.',
  status: 204,
})

export const rotateSecret = defineWrite({
  ...shared,
  id: 'rotateWebhookSecret',
  method: 'POST',
  path: '/v1/webhook_endpoints/{id}/rotate',
  summary: 'Rotate a signing secret',
  description:
    'Replaces the signing secret, and clears `failingSince`. The response contains the new one, which is not returned again: a retry with the same `Idempotency-Key` returns the endpoint without it. For 24 hours, deliveries are signed with both the old and the new secret. If you rotate again within these 24 hours, deliveries are signed with the original and the newest secret for another 24 hours, and the secret in between stops working immediately.',
  response: { secret: EXAMPLE_SECRET, updatedAt: CHANGED_AT },
  status: 200,
  shownOnce: ['secret'],
})

export const sendTestEvent = defineWrite({
  ...shared,
  id: 'testWebhookEndpoint',
  method: 'POST',
  path: '/v1/webhook_endpoints/{id}/test',
  summary: 'Send a test event',
  description:
    'Sends an event of the type `webhook.test` to the endpoint, regardless of its `events`. The endpoint must be enabled. Returns the delivery, which is identified by its `eventId`. The event is sent within seconds; to see the result, [list the deliveries](#listWebhookDeliveries).',
  status: 200,
  keepsRecord: true,
  returns: {
    schema: 'WebhookDelivery',
    label: { one: 'Delivery', many: 'Deliveries' },
    example: { ...newDelivery, nextAttemptAt: newDelivery.createdAt, attempts: 0 },
  },
  errors: disabledError,
})

export const resendEvents = defineWrite({
  ...shared,
  id: 'resendWebhookEvents',
  method: 'POST',
  path: '/v1/webhook_endpoints/{id}/resend',
  summary: 'Resend events',
  description:
    'Sends one event, or all events with a failed delivery that was created since a given time, to the endpoint, with the usual retries. The endpoint must be enabled. To see the results, [list the deliveries](#listWebhookDeliveries).',
  body: resendBody,
  example: { failedSince: '2026-11-21T00:00:00.000Z' },
  status: 200,
  keepsRecord: true,
  maxMs: RESEND_MS,
  isShort: (body) => (Object(body) as z.input<typeof resendBody>).failedSince === undefined,
  errors: { ...disabledError, body_invalid: { message: 'eventId or failedSince must be sent, but not both.', param: 'eventId' } },
})

/** The operations, in the order of the API reference. */
export const webhookOperations = [createEndpoint, updateEndpoint, deleteEndpoint, rotateSecret, sendTestEvent, resendEvents]
