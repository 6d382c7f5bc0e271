/** All OpenAPI operations: those that read and change records, the validation of tickets, and those that require no key. */
import { MAX_CODE } from '../../catalog/limits'
import { tickets } from '../../catalog/ticket'
import { writeOperations } from '../../catalog/write-operations'
import type { ErrorCode } from '../../core/errors'
import { errorResponses, header, RATE_HEADERS, referToHeaders } from './errors'
import { makeEventPaths } from './events'
import { makeRecordPaths } from './lists'
import { idempotencyKey, jsonContent, keyErrorResponses, security } from './parts'
import { VALIDATE_SAMPLES } from './samples'
import { refTo } from './schemas'
import type { OperationObject, PathItem, Schema } from './types'
import { makeWebhookPaths } from './webhooks'
import { makeWriteOperation } from './write-operations'

const { example: TICKET } = tickets

/** Example responses, one per outcome of a validation. */
const RESULTS = {
  admitted: {
    summary: 'The guest is admitted.',
    value: { success: true, ticket: TICKET, message: 'Ticket validated and metadata updated' },
  },
  already_checked_in: {
    summary: 'The ticket is already checked in.',
    value: {
      success: false,
      ticket: TICKET,
      message: 'Already checked in by QR scan on November 21, 2026 at 20:30',
      reason: 'already_checked_in',
    },
  },
  canceled: {
    summary: 'The ticket is canceled.',
    value: {
      success: false,
      ticket: {
        ...TICKET,
        status: 'CANCELED',
        checkIns: [],
        latestCheckIn: undefined,
        checkInStatus: 'UNCHECKEDIN',
        canceledAt: '2026-11-21T08:00:00.000Z',
        metadata: [],
      },
      message: 'This ticket was canceled on November 21, 2026',
      reason: 'canceled',
    },
  },
}

const validateOperation: OperationObject = {
  operationId: 'validateTicket',
  tags: ['Tickets'],
  summary: 'Validate a ticket',
  description: `Checks in a ticket by the text of its QR code. A ticket can be checked in once, unless the \`entryPolicy\` of its page is \`reentry\` or \`multiple\`. If \`success\` is \`true\`, the guest is admitted.
If it is \`false\`, \`reason\` explains why, and the ticket is not checked in. A failure of the service is a 5xx response, never \`success: false\`.

If two devices scan the same single-entry ticket at the same time, exactly one receives \`success: true\`.

\`metadata\` writes notes to the ticket, whether or not it is already checked in. A canceled ticket is not changed. The body can be an empty object or omitted.

Lists return codes only to keys with the scope \`tickets:codes\`. To try out a code, open a booking in the dashboard, which shows each of its tickets with the QR code and its text.`,
  security: security('tickets:validate'),
  parameters: [
    {
      name: 'qrCode',
      in: 'path',
      required: true,
      description: 'Text of the QR code, percent-encoded.',
      schema: { type: 'string', minLength: 1, maxLength: MAX_CODE },
      example: 'HJ-A1760D5CE5',
    },
    idempotencyKey('scan'),
    {
      name: 'Device',
      in: 'header',
      description: 'Name of the scanning device, stored with each attempt. Up to 64 characters.',
      schema: { type: 'string', maxLength: 64 },
    },
  ],
  requestBody: {
    required: false,
    description: 'Metadata to write, and whether to check in the ticket.',
    content: {
      'application/json': {
        schema: refTo('ValidationBody'),
        examples: {
          admit: { summary: 'Check in the ticket.', value: {} },
          note: {
            summary: 'Check in the ticket, write one metadata entry and delete another.',
            value: {
              metadata: [
                { key: 'gate', value: '2' },
                { key: 'seat', value: null },
              ],
            },
          },
          look: { summary: 'Preview the result without checking in.', value: { checkIn: false } },
        },
      },
    },
  },
  responses: {
    '200': {
      description: 'The ticket was found. `success` indicates whether the guest is admitted.',
      headers: { ...referToHeaders(RATE_HEADERS), 'Idempotent-Replayed': header('Idempotent-Replayed') },
      content: jsonContent('TicketValidation', RESULTS),
    },
    ...keyErrorResponses(
      'tickets:validate',
      [
        'parameter_invalid',
        'parameter_unknown',
        'body_invalid',
        'path_invalid',
        'ticket_not_found',
        'body_too_large',
        'media_type_unsupported',
        'idempotency_mismatch',
      ],
      {
        parameter_invalid: {
          message: 'The Idempotency-Key header must contain 1 to 255 visible ASCII characters.',
          param: 'Idempotency-Key',
        },
        parameter_unknown: { message: "Unknown parameter 'gate'. This operation takes no query parameters.", param: 'gate' },
      },
    ),
  },
  'x-codeSamples': VALIDATE_SAMPLES,
}

/** Returns the schema of a health check's body. @param value the only value of `status` */
const makeStatusSchema = (value: string): Schema => ({
  type: 'object',
  properties: { status: { type: 'string', enum: [value], description: 'Status of the server.' } },
  required: ['status'],
})

/** Returns a path whose `GET` operation needs no API key. @param errors the errors of valid requests, with overrides */
const makeOpenPath = (
  operationId: string,
  summary: string,
  description: string,
  responses: OperationObject['responses'],
  errors: Parameters<typeof errorResponses>[1] = {},
): PathItem => ({
  get: {
    operationId,
    tags: ['Operations'],
    summary,
    description,
    security: [],
    responses: { ...responses, ...errorResponses(['path_invalid', 'headers_too_large', ...(Object.keys(errors) as ErrorCode[])], errors) },
  },
})

const health = makeOpenPath('getHealth', 'Liveness check', 'Reports whether the process is running. No API key required.', {
  '200': {
    description: 'The process is running.',
    headers: referToHeaders([]),
    content: { 'application/json': { schema: makeStatusSchema('ok'), examples: { ok: { summary: 'Running.', value: { status: 'ok' } } } } },
  },
})

const ready = makeOpenPath(
  'getReadiness',
  'Readiness check',
  'Reports whether the server can handle requests. Use it for load balancers. No API key required.',
  {
    '200': {
      description: 'The database is reachable and its schema is current.',
      headers: referToHeaders([]),
      content: {
        'application/json': { schema: makeStatusSchema('ready'), examples: { ready: { summary: 'Ready.', value: { status: 'ready' } } } },
      },
    },
    '503': {
      description: 'The server can’t handle requests at the moment.',
      headers: referToHeaders(['Retry-After']),
      content: {
        'application/json': {
          schema: {
            type: 'object',
            properties: {
              status: { type: 'string', enum: ['unavailable'], description: 'Status of the server.' },
              message: { type: 'string', description: 'Why the server is unavailable.' },
            },
            required: ['status', 'message'],
          },
          examples: {
            starting: { summary: 'Starting.', value: { status: 'unavailable', message: 'The server is starting.' } },
            draining: { summary: 'Shutting down.', value: { status: 'unavailable', message: 'The server is shutting down.' } },
          },
        },
      },
    },
  },
)

const openApi = makeOpenPath(
  'getOpenApi',
  'OpenAPI document',
  'Returns this reference as an OpenAPI 3.1 document. No API key required.',
  {
    '200': {
      description: 'An OpenAPI 3.1 document.',
      headers: referToHeaders([]),
      content: { 'application/json': { schema: { type: 'object', description: 'An OpenAPI 3.1 document.', additionalProperties: true } } },
    },
  },
  {
    rate_limited: {
      meaning: 'The client’s address requested the document too often.',
      message: 'Rate limit exceeded: 60 requests for this document per minute from this address. Retry in 42 seconds.',
    },
    unavailable: {},
  },
)

/** Returns all operations by path. */
export function makePaths(): Record<string, PathItem> {
  const paths: Record<string, PathItem> = {
    ...makeRecordPaths(),
    '/v1/tickets/validate/{qrCode}': { post: validateOperation },
    ...makeEventPaths(),
    ...makeWebhookPaths(),
    '/v1/openapi.json': openApi,
    '/healthz': health,
    '/readyz': ready,
  }
  for (const operation of writeOperations) {
    paths[operation.path] = { ...paths[operation.path], [operation.method.toLowerCase()]: makeWriteOperation(operation) }
  }
  return paths
}
