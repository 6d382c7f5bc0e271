/** The `webhooks` in the OpenAPI document: the requests that an endpoint receives, one for each type of event. */
import { resources } from '../../catalog'
import { EVENT_TYPES } from '../../catalog/event-types'
import { eventPrefix, type RecordType, schemaName } from '../../catalog/resource'
import { tickets } from '../../catalog/ticket'
import { VECTOR } from '../../webhooks/vector'
// Written by app/docs/event-examples.test.ts.
import examples from './event-examples.json' with { type: 'json' }
import { EVENTS_TAG_NAME } from './events'
import { refTo } from './schemas'
import type { OperationObject, Parameter, PathItem, Schema } from './types'

/** Returns a parameter for a header of the requests. */
const header = (name: keyof typeof VECTOR.headers & string, description: string): Parameter => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
  example: VECTOR.headers[name],
})

const HEADERS = [
  header('webhook-id', 'ID of the event. It is the same in every attempt, so use it to ignore events that you have already processed.'),
  header('webhook-timestamp', 'Time of the attempt, in seconds since 1970. Reject requests that are older than five minutes.'),
  header(
    'webhook-signature',
    '`v1,` followed by the Base64-encoded signature. For 24 hours after the secret is rotated, there are two, separated by a space.',
  ),
]

const eventRecordTypes: RecordType[] = [...Object.values(resources), tickets]

/** Returns the schema of an event type's `data`: the record's schema, or the schema of a test event's data. */
function makeDataSchema(type: string): Schema {
  const record = eventRecordTypes.find((recordType) => type.startsWith(`${eventPrefix(recordType)}.`))
  if (record) return { ...refTo(schemaName(record)), description: 'Record after the change, without client secrets and ticket codes.' }
  return {
    type: 'object',
    description: 'Data of the test event.',
    properties: {
      message: { type: 'string', description: 'Human-readable text.' },
      endpointId: { type: 'string', description: 'ID of the tested endpoint.' },
    },
    required: ['message', 'endpointId'],
  }
}

/** Returns the operation ID of a type: `receiveTicketCheckedIn` for `ticket.checked_in`. */
const toOperationId = (type: string) => `receive.${type}`.replace(/[._](\w)/g, (_, letter: string) => letter.toUpperCase())

const makeOperation = (type: string, value: unknown): OperationObject => ({
  operationId: toOperationId(type),
  tags: [EVENTS_TAG_NAME],
  summary: type,
  description: EVENT_TYPES[type] ?? '',
  security: [],
  parameters: HEADERS,
  requestBody: {
    required: true,
    description: 'The event.',
    content: {
      'application/json': {
        schema: {
          type: 'object',
          properties: {
            type: { type: 'string', const: type, description: 'Type of the event.' },
            timestamp: { type: 'string', format: 'date-time', description: 'Time of the change.' },
            data: makeDataSchema(type),
          },
          required: ['type', 'timestamp', 'data'],
        },
        ...(value !== undefined && { examples: { event: { summary: 'The body of a delivery.', value } } }),
      },
    },
  },
  responses: {
    '2XX': { description: 'The event was received.' },
    '410': { description: 'The endpoint no longer exists. The server disables the endpoint.' },
    default: { description: 'The attempt failed. The server makes up to ten attempts.' },
  },
})

/** Returns the requests by event type. */
export const webhookRequests = (): Record<string, PathItem> =>
  Object.fromEntries(
    Object.keys(EVENT_TYPES).map((type) => [
      type,
      {
        post: makeOperation(
          type,
          examples.find((example) => example.type === type),
        ),
      },
    ]),
  )
