/** Defines the schemas of an event as the API returns it, and of the query parameters of the list of events. */
import { z } from 'zod'
import { EVENT_TYPES, isEventType } from '../catalog/event-types'
import { createdParams, eventIdParam, limitParam } from '../catalog/list-params'
import { instant, text } from '../catalog/shapes'
import { tickets } from '../catalog/ticket'

const eventTypeParam = z
  .string()
  .refine(isEventType, 'must be the type of an event, such as payment.paid')
  .meta({ enum: Object.keys(EVENT_TYPES) })

/** The query parameters of `GET /v1/events`. */
export const eventParams = z.strictObject({
  limit: limitParam,
  starting_after: eventIdParam.optional(),
  ending_before: eventIdParam.optional(),
  type: eventTypeParam.optional(),
  ...createdParams,
})
export type EventParams = z.output<typeof eventParams>

export const EVENT_EXAMPLE = {
  id: 'evt_6b01e0a85a117e0002000802',
  type: 'ticket.checked_in',
  createdAt: '2026-11-21T19:30:00.012Z',
  data: tickets.example,
}

/** An event as the API returns it. */
export const event = z
  .strictObject({
    id: text.describe('Unique identifier of the event: `evt_` and 24 hexadecimal digits.'),
    type: text.describe('Type of the event, such as `payment.paid`.'),
    createdAt: instant.describe('Time of the change.'),
    data: z
      .looseObject({})
      .describe(
        'Record after the change, as the API returns it. Client secrets and ticket codes are left out. The first part of `type` is the type of the record. For `webhook.test`, a message and the ID of the endpoint.',
      ),
  })
  .meta({
    id: 'Event',
    description: 'An event describes a change to a record and contains the record. Events are kept for 30 days.',
    examples: [EVENT_EXAMPLE],
  })
