/** Deliveries: events to send to a webhook endpoint, with the results. */
import { z } from 'zod'
import { createdParams, eventIdParam, limitParam } from './list-params'
import { describeChoices, enumeration, instant, number, text } from './shapes'

const status = enumeration({
  pending: 'Not delivered yet. The next attempt is at `nextAttemptAt`.',
  succeeded: 'The endpoint returned a 2xx status.',
  failed: 'All attempts failed, or the endpoint was disabled. The event can be resent.',
})

const lastAttempt = z
  .strictObject({
    at: instant.describe('Time of the attempt.'),
    status: number.optional().describe('HTTP status of the response. Absent if there was none.'),
    error: text.optional().describe('Why there was no response, such as `timeout` or `connection_refused`. Absent if there was one.'),
    durationMs: number.describe('Duration in milliseconds.'),
    responseBody: text.optional().describe('First KiB of the response body. Absent if there is none.'),
  })
  .meta({ id: 'WebhookAttempt', description: 'An attempt to deliver an event.' })

export const DELIVERY_EXAMPLE = {
  eventId: 'evt_6b01e0a85a117e0002000810',
  type: 'webhook.test',
  status: 'pending',
  attempts: 1,
  createdAt: '2026-11-21T19:30:00.012Z',
  nextAttemptAt: '2026-11-21T19:30:06.104Z',
  lastAttempt: { at: '2026-11-21T19:30:00.702Z', status: 400, durationMs: 21.4, responseBody: 'Invalid signature' },
}

export const webhookDelivery = z
  .strictObject({
    eventId: text.describe('ID of the event.'),
    type: text.optional().describe('Type of the event. Absent once the event has been deleted, after 30 days.'),
    status: status.describe('Status of the delivery. Filterable.'),
    attempts: number.describe('Number of attempts since the delivery was created or last resent.'),
    createdAt: instant.describe('Time at which the delivery was created.'),
    nextAttemptAt: instant.optional().describe('Time of the next attempt. Absent unless `status` is `pending`.'),
    lastAttempt: lastAttempt.optional().describe('Most recent attempt. Absent if there was none.'),
  })
  .meta({ id: 'WebhookDelivery', description: 'The delivery of an event to an endpoint, and its result.', examples: [DELIVERY_EXAMPLE] })

export type WebhookDelivery = z.output<typeof webhookDelivery>

const { options } = status
export const DELIVERY_STATES = options
export type DeliveryState = (typeof options)[number]

/** The query parameters of `GET /v1/webhook_endpoints/{id}/deliveries`. The cursors are IDs of events. */
export const deliveryParams = z.strictObject({
  limit: limitParam,
  starting_after: eventIdParam.optional(),
  ending_before: eventIdParam.optional(),
  ...createdParams,
  status: z.enum(options, describeChoices(options)).optional(),
})
export type DeliveryParams = z.output<typeof deliveryParams>
