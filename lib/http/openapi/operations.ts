/** The operations in the document: a list and a single read for each resource, the ticket validation, and the checks that do not require a key. */
import { z } from 'zod'
import { RESOURCE_NAMES, type ResourceName, resources } from '../../catalog'
import { CREATED, listParams, MAX_SEARCH, PAGE_SIZE } from '../../catalog/list-params'
import { type Resource, schemaName } from '../../catalog/resource'
import { MAX_CODE, tickets } from '../../catalog/ticket'
import { writeOperations } from '../../catalog/write-operations'
import { recordNotFoundError } from '../record-route'
import { header, headersOf, RATE_HEADERS, refusals } from './errors'
import { eventPaths } from './events'
import { ALWAYS, idempotencyKey, idParameter, json, recordResponse, security } from './parts'
import { listSamples, recordSamples, validateSamples } from './samples'
import { refTo } from './schemas'
import type { OperationObject, Parameter, PathItem, Schema } from './types'
import { webhookPaths } from './webhooks'
import { makeWriteOperation } from './write-operations'

/** The descriptions of a list's parameters; `listParams` has their names and schemas. */
const PARAMETERS: Record<string, string> = {
  limit: 'Number of records to return.',
  starting_after: 'ID of a record. Returns the records after it, which are older. Can’t be combined with `ending_before`.',
  ending_before: 'ID of a record. Returns the records before it, which are newer. Can’t be combined with `starting_after`.',
  pageId: 'Only return records of the product or event page with this ID.',
  status: 'Only return records with this status.',
  'created[gte]': 'Only return records created at this time or later. A date is the start of that day.',
  'created[gt]': 'Only return records created after this time. A date is the end of that day.',
  'created[lte]': 'Only return records created at this time or earlier. A date is the end of that day.',
  'created[lt]': 'Only return records created before this time. A date is the start of that day.',
}

const formatAlternatives = new Intl.ListFormat('en', { type: 'disjunction' })

function parametersOf({ name: list, search, filters }: Resource): Parameter[] {
  const schema = z.toJSONSchema(listParams(filters), { io: 'input' }) as { properties: Record<string, Schema> }
  const searched = formatAlternatives.format(Object.keys(search).map((path) => `\`${path}\``))
  return Object.entries(schema.properties).map(([name, given]) => ({
    name,
    in: 'query',
    description:
      name === 'search' ? `Only return ${list} whose ${searched} contains this text. Case-insensitive.` : (PARAMETERS[name] ?? ''),
    schema:
      name === 'limit'
        ? { type: 'integer', minimum: PAGE_SIZE.least, maximum: PAGE_SIZE.most, default: PAGE_SIZE.usual }
        : name === 'search'
          ? { ...given, minLength: 1, maxLength: MAX_SEARCH }
          : name in CREATED
            ? {
                anyOf: [
                  { type: 'string', format: 'date-time', description: 'A timestamp.' },
                  { type: 'string', format: 'date', description: 'A date in the seller’s time zone.' },
                  { type: 'integer', description: 'Unix seconds.' },
                ],
              }
            : given,
  }))
}

/** The total in the example response of a list. */
const EXAMPLE_TOTAL = 412

function listOperation(name: ResourceName, base: string): OperationObject {
  const resource: Resource = resources[name]
  const { label, record, filters, columns, example } = resource
  const schema = `${schemaName(resource)}List`
  const parameters = Object.keys(listParams(filters).shape).join(', ')
  return {
    operationId: `list${label.many.replaceAll(' ', '')}`,
    tags: [label.many],
    summary: `List ${name}`,
    description: `Returns a page of ${name}, newest first.${'livemode' in record.shape ? ' Test records are included; their `livemode` is `false`.' : ''}`,
    security: security(`${name}:read`),
    parameters: parametersOf(resource),
    responses: {
      '200': {
        description: `A page of ${name}.`,
        headers: headersOf(RATE_HEADERS),
        content: json(schema, {
          page: { summary: 'A page with one record, followed by more.', value: { has_more: true, total: EXAMPLE_TOTAL, data: [example] } },
        }),
      },
      ...refusals(['parameter_invalid', 'parameter_unknown', 'parameter_repeated', 'parameters_exclusive', 'resource_missing', ...ALWAYS], {
        resource_missing: {
          message: `No ${label.one.toLowerCase()} with id '00000000000000000000000a'. Use the id of the first or last record of a previous page.`,
        },
        parameter_unknown: { message: `Unknown parameter 'stauts'. Use ${parameters}.` },
        scope_missing: { message: `This API key lacks the scope '${name}:read'. Use a key that has it.` },
      }),
    },
    'x-codeSamples': listSamples(base, name, columns[0]?.key ?? 'createdAt'),
  }
}

function recordOperation(name: ResourceName, base: string): OperationObject {
  const { label, columns, example }: Resource = resources[name]
  const one = label.one.toLowerCase()
  return {
    operationId: `get${schemaName({ label })}`,
    tags: [label.many],
    summary: `Get a ${one}`,
    description: `Returns a ${one} by its ID, with the same members as in the list.`,
    security: security(`${name}:read`),
    parameters: [idParameter({ label, example })],
    responses: {
      '200': recordResponse({ label, example }, `The ${one}.`),
      ...refusals(['parameter_invalid', 'parameter_unknown', 'path_invalid', 'record_not_found', ...ALWAYS], {
        parameter_invalid: { message: 'id must be an id of 24 hex digits.', param: 'id' },
        parameter_unknown: { message: "Unknown parameter 'expand'. This operation takes no query parameters.", param: 'expand' },
        record_not_found: { message: recordNotFoundError({ name, label }, '00000000000000000000000a').message },
        scope_missing: { message: `This API key lacks the scope '${name}:read'. Use a key that has it.` },
      }),
    },
    'x-codeSamples': recordSamples(base, name, one, columns[0]?.key ?? 'createdAt'),
  }
}

const { example: TICKET } = tickets

const ANSWERS = {
  admitted: {
    summary: 'The guest is admitted.',
    value: { success: true, ticket: TICKET, message: 'Ticket validated and metadata updated' },
  },
  already_checked_in: {
    summary: 'The ticket is already checked in.',
    value: {
      success: false,
      ticket: TICKET,
      message: 'Already checked in on 21 November 2026 at 20:30 by QR scan',
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
      message: 'This ticket was canceled on 21 November 2026',
      reason: 'canceled',
    },
  },
}

const validate = (base: string): OperationObject => ({
  operationId: 'validateTicket',
  tags: ['Tickets'],
  summary: 'Validate a ticket',
  description: `Checks in a ticket by the text of its QR code. A ticket is admitted once, unless the event allows re-entry. If \`success\` is \`true\`, the guest is admitted.
If it is \`false\`, \`reason\` says why not, and the ticket is not checked in. A failure of the service is a 5xx response, never \`success: false\`.

If two devices scan the same ticket at the same time, exactly one gets \`success: true\`.

\`metadata\` writes notes to the ticket, whether or not it is already checked in. A canceled ticket is not changed. The body can be an empty object or omitted.

Codes are not returned by any list. To try one out, open a booking in the dashboard: each of its tickets shows its QR code and the text.`,
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
      description: 'The ticket was found. `success` says whether the guest is admitted.',
      headers: { ...headersOf(RATE_HEADERS), 'Idempotent-Replayed': header('Idempotent-Replayed') },
      content: json('TicketValidation', ANSWERS),
    },
    ...refusals(
      [
        'parameter_invalid',
        'parameter_unknown',
        'body_invalid',
        'path_invalid',
        'ticket_not_found',
        'body_too_large',
        'media_type_unsupported',
        'idempotency_mismatch',
        ...ALWAYS,
      ],
      {
        parameter_invalid: { message: 'The header Idempotency-Key must have 1 to 255 visible ASCII characters.', param: 'Idempotency-Key' },
        parameter_unknown: { message: "Unknown parameter 'gate'. This operation takes no query parameters.", param: 'gate' },
        scope_missing: { message: "This API key lacks the scope 'tickets:validate'. Use a key that has it." },
      },
    ),
  },
  'x-codeSamples': validateSamples(base),
})

const STATUS_ONLY = (value: string): Schema => ({
  type: 'object',
  properties: { status: { type: 'string', enum: [value], description: 'Status of the server.' } },
  required: ['status'],
})

/** An operation that needs no API key. */
const open = (
  operationId: string,
  tag: string,
  summary: string,
  description: string,
  responses: OperationObject['responses'],
): PathItem => ({
  get: { operationId, tags: [tag], summary, description, security: [], responses: { ...responses, ...refusals(['headers_too_large']) } },
})

const health = open('getHealth', 'Operations', 'Liveness check', 'Reports whether the process is running. No API key required.', {
  '200': {
    description: 'The process is running.',
    headers: headersOf([]),
    content: { 'application/json': { schema: STATUS_ONLY('ok'), examples: { ok: { summary: 'Running.', value: { status: 'ok' } } } } },
  },
})

const ready = open(
  'getReadiness',
  'Operations',
  'Readiness check',
  'Reports whether the server can handle requests. Use it for load balancers. No API key required.',
  {
    '200': {
      description: 'The database is reachable and its schema is current.',
      headers: headersOf([]),
      content: {
        'application/json': { schema: STATUS_ONLY('ready'), examples: { ready: { summary: 'Ready.', value: { status: 'ready' } } } },
      },
    },
    '503': {
      description: 'The server can’t handle requests at the moment.',
      headers: headersOf(['Retry-After']),
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
            draining: { summary: 'Shutting down.', value: { status: 'unavailable', message: 'The server is shutting down.' } },
          },
        },
      },
    },
  },
)

const openApi = open(
  'getOpenApi',
  'Operations',
  'OpenAPI document',
  'Returns this reference as an OpenAPI 3.1 document. No API key required.',
  {
    '200': {
      description: 'An OpenAPI 3.1 document.',
      headers: headersOf([]),
      content: { 'application/json': { schema: { type: 'object', description: 'An OpenAPI 3.1 document.', additionalProperties: true } } },
    },
  },
)

const readPaths = (base: string): Record<string, PathItem> => ({
  ...Object.fromEntries(
    RESOURCE_NAMES.flatMap((name) => [
      [`/v1/${name}`, { get: listOperation(name, base) }],
      [`/v1/${name}/{id}`, { get: recordOperation(name, base) }],
    ]),
  ),
  '/v1/tickets/validate/{qrCode}': { post: validate(base) },
  ...eventPaths(base),
  ...webhookPaths(base),
  '/v1/openapi.json': openApi,
  '/healthz': health,
  '/readyz': ready,
})

/** Returns the operations by path. @param base the server's URL, for the code samples */
export function makePaths(base: string): Record<string, PathItem> {
  const paths = readPaths(base)
  for (const operation of writeOperations) {
    paths[operation.path] = { ...paths[operation.path], [operation.method.toLowerCase()]: makeWriteOperation(operation, base) }
  }
  return paths
}
