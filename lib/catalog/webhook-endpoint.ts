/** Webhook endpoints: URLs that receive a seller's events. */
import { z } from 'zod'
import { createdParams, limitParam } from './list-params'
import { defineRecordType } from './resource'
import { enumeration, flag, instant, text } from './shapes'

const disabledReason = enumeration({
  failing: 'All attempts failed for 5 days.',
  gone: 'The endpoint returned the status 410.',
  secret_lost: 'The signing secret cannot be read, because the server’s `NEXTAUTH_SECRET` has changed. Rotate the signing secret.',
})
export type DisabledReason = z.output<typeof disabledReason>

/** The schema of an endpoint's ID in a request: `we_` and 24 hex digits, converted to lowercase. */
export const endpointIdParam = z
  .string()
  .regex(/^we_[0-9a-f]{24}$/i, 'must be the id of a webhook endpoint, such as we_6b0120895a117e0002000802')
  .overwrite((value) => value.toLowerCase())

/** The query parameters of `GET /v1/webhook_endpoints`. */
export const endpointParams = z.strictObject({
  limit: limitParam,
  starting_after: endpointIdParam.optional(),
  ending_before: endpointIdParam.optional(),
  ...createdParams,
})

/** The example of a signing secret in the API reference. */
export const EXAMPLE_SECRET = 'whsec_QSBzZWNyZXQgb2YgdGhlIEFQSSByZWZlcmVuY2UgIC4='

export const webhookEndpoints = defineRecordType({
  name: 'webhook_endpoints',
  label: { one: 'Webhook Endpoint', many: 'Webhook Endpoints' },
  description: `A webhook endpoint is a URL of yours to which the server sends events, signed according to [Standard Webhooks](https://www.standardwebhooks.com). Start with the [quickstart](#webhook-quickstart); the guide describes [deliveries](#webhooks) and how to [verify](#verify-webhooks) them.`,
  record: z.strictObject({
    id: text.describe('Unique identifier of the endpoint: `we_` and 24 hexadecimal digits.'),
    url: text.describe('URL that receives the events.'),
    events: z.array(text).describe('Types of the events to send. `*` means all types, including future ones.'),
    description: text.optional().describe('Description for your own use.'),
    enabled: flag.describe('Whether events are sent. Events that occur while the endpoint is disabled are skipped.'),
    failingSince: instant
      .optional()
      .describe(
        'Time of the first failed attempt since the last successful one, since the URL or signing secret was changed, or since 30 hours without an attempt, whichever is latest. Absent if no attempt has failed since then.',
      ),
    disabledReason: disabledReason.optional().describe('Why the server disabled the endpoint. Absent if it did not.'),
    secret: text.optional().describe('Signing secret. Returned only when the endpoint is created or the secret is rotated.'),
    createdAt: instant.describe('Time at which the endpoint was created.'),
    updatedAt: instant.describe('Time at which the endpoint was last changed.'),
  }),
  example: {
    id: 'we_6b01e0a85a117e0002000802',
    url: 'https://shop.example.com/webhooks/desk',
    events: ['payment.paid', 'ticket.checked_in'],
    description: 'Accounting',
    enabled: true,
    createdAt: '2026-11-21T19:30:00.000Z',
    updatedAt: '2026-11-21T19:30:00.000Z',
  },
})

export type WebhookEndpoint = z.output<typeof webhookEndpoints.record>
