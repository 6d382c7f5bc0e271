/** The operations of the document: each list from its resource, the validation, and what needs no key. */
import { z } from 'zod'
import type { Scope } from '../../accounts/scopes'
import { type ResourceName, resources } from '../../catalog'
import { listParams, MAX_SEARCH, PAGE_SIZE } from '../../catalog/list-params'
import type { Resource } from '../../catalog/resource'
import { MAX_CODE } from '../../catalog/ticket'
import type { ErrorCode } from '../../core/errors'
import { header, headersOf, RATE_HEADERS, refusals } from './errors'
import { listExample, VALIDATION_EXAMPLES } from './examples'
import { listSamples, validateSamples } from './samples'
import { ONE, refTo } from './schemas'
import type { OperationObject, Parameter, PathItem, ResponseObject, Schema } from './types'

const ALWAYS: ErrorCode[] = ['key_missing', 'key_invalid', 'scope_missing', 'rate_limited', 'headers_too_large', 'internal', 'unavailable']

const security = (scope: Scope) => [{ apiKey: [scope] }]

/** What a list's parameters mean; their names and forms are those of `listParams`. */
const PARAMETERS: Record<string, string> = {
  limit: 'How many records a page has.',
  starting_after: 'The `id` of a record: the answer has those right after it, older ones. Not together with `ending_before`.',
  ending_before: 'The `id` of a record: the answer has those right before it, newer ones. Not together with `starting_after`.',
  pageId: 'Only records of this page.',
  status: 'Only records with this status.',
}

/** What is particular to a list, besides its resource. */
const LISTS: Record<ResourceName, { searched: string; shown: string; total: number; more: string }> = {
  subscriptions: {
    searched: '`customerEmail`, `orderId` or `billing.name`',
    shown: 'status',
    total: 412,
    more: 'Recurring orders, newest first.',
  },
  coupons: { searched: '`label` or `code`', shown: 'code', total: 61, more: 'Discounts that a customer enters by code, newest first.' },
  payments: { searched: '`customerEmail` or `orderId`', shown: 'amount', total: 1546, more: 'One-time orders, newest first.' },
  bookings: {
    searched: '`customerEmail` or `orderId`',
    shown: 'orderId',
    total: 800,
    more: 'Orders that contain tickets of an event, newest first.',
  },
}

function parametersOf(resource: Resource, searched: string): Parameter[] {
  const schema = z.toJSONSchema(listParams(resource.filters), { io: 'input' }) as { properties: Record<string, Schema> }
  return Object.entries(schema.properties).map(([name, given]) => ({
    name,
    in: 'query',
    description: name === 'search' ? `Only records whose ${searched} contains this text, in capitals or not.` : (PARAMETERS[name] ?? ''),
    schema:
      name === 'limit'
        ? { type: 'integer', minimum: PAGE_SIZE.least, maximum: PAGE_SIZE.most, default: PAGE_SIZE.usual }
        : name === 'search'
          ? { ...given, minLength: 1, maxLength: MAX_SEARCH }
          : given,
  }))
}

const json = (name: string, examples?: Record<string, { summary: string; value: unknown }>): ResponseObject['content'] => ({
  'application/json': { schema: refTo(name), ...(examples ? { examples } : {}) },
})

function listOperation(resource: Resource, base: string): OperationObject {
  const { name } = resource
  const { searched, shown, total, more } = LISTS[name]
  const wanted =
    name === 'payments'
      ? {}
      : {
          message: `No ${name.slice(0, -1)} with id '00000000000000000000000a'. Use the id of the first or last record of a previous page.`,
        }
  const names = Object.keys(listParams(resource.filters).shape).join(', ')
  return {
    operationId: `list${ONE[name]}s`,
    tags: [`${ONE[name]}s`],
    summary: `List ${name}`,
    description: name === 'coupons' ? more : `${more} Test records are among them: their \`livemode\` is false.`,
    security: security(`${name}:read`),
    parameters: parametersOf(resource, searched),
    responses: {
      '200': {
        description: `A page of ${name}.`,
        headers: headersOf(RATE_HEADERS),
        content: json(`${ONE[name]}List`, {
          page: { summary: 'A page of one record, with more behind it.', value: listExample(name, total) },
        }),
      },
      ...refusals(['parameter_invalid', 'parameter_unknown', 'parameter_repeated', 'parameters_exclusive', 'resource_missing', ...ALWAYS], {
        resource_missing: wanted,
        parameter_unknown: { message: `There is no parameter 'stauts'. This operation takes ${names}.` },
        scope_missing: { message: `This API key lacks the scope ${name}:read. Use a key that has it.` },
      }),
    },
    'x-codeSamples': listSamples(base, name, shown),
  }
}

const validate = (base: string): OperationObject => ({
  operationId: 'validateTicket',
  tags: ['Tickets'],
  summary: 'Validate a ticket',
  description: `Lets the guest of a ticket in, once, and says so. If \`success\` is true the guest may go in; if it is false nobody was admitted, and \`reason\` says why. An outage is never told
as a refusal: it is a 5xx.

Of two doors that scan one ticket in the same moment exactly one gets \`success: true\`. Where the event's page allows re-entry, a ticket is admitted again and again.

The code is what a scanner reads from the guest's ticket. No list tells codes; to try one, an owner opens a booking in the dashboard, where each ticket shows its QR code and its text.

\`metadata\` notes something on a ticket that is good, whether its guest is in already or not. An empty object is a valid body, and so is no body at all.`,
  security: security('tickets:validate'),
  parameters: [
    {
      name: 'qrCode',
      in: 'path',
      required: true,
      description: 'What the QR code says, percent-encoded.',
      schema: { type: 'string', minLength: 1, maxLength: MAX_CODE },
      example: 'HJ-A1760D5CE5',
    },
    {
      name: 'Idempotency-Key',
      in: 'header',
      description: 'A new one with each scan; the same one to repeat a request whose answer was lost. 1 to 255 visible ASCII characters.',
      schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
    },
    {
      name: 'Device',
      in: 'header',
      description: 'The name of the door, kept with each attempt. At most 64 characters.',
      schema: { type: 'string', maxLength: 64 },
    },
  ],
  requestBody: {
    required: false,
    description: 'What to note on the ticket, and whether to admit.',
    content: {
      'application/json': {
        schema: refTo('ValidationBody'),
        examples: {
          admit: { summary: 'Admits.', value: {} },
          note: {
            summary: 'Admits, writes one note and takes another away.',
            value: {
              metadata: [
                { key: 'gate', value: '2' },
                { key: 'seat', value: null },
              ],
            },
          },
          look: { summary: 'Looks, and admits nobody.', value: { checkIn: false } },
        },
      },
    },
  },
  responses: {
    '200': {
      description: 'The ticket was found: whether its guest may go in is told by `success`.',
      headers: { ...headersOf(RATE_HEADERS), 'Idempotent-Replayed': header('Idempotent-Replayed') },
      content: json('TicketValidation', {
        admitted: { summary: 'The guest may go in.', value: VALIDATION_EXAMPLES.admitted },
        already_checked_in: { summary: 'The guest of this ticket is in already.', value: VALIDATION_EXAMPLES.already_checked_in },
        canceled: { summary: 'The ticket is canceled.', value: VALIDATION_EXAMPLES.canceled },
      }),
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
        parameter_unknown: { message: "There is no parameter 'gate'. This operation takes no parameters in the query.", param: 'gate' },
        scope_missing: { message: 'This API key lacks the scope tickets:validate. Use a key that has it.' },
      },
    ),
  },
  'x-codeSamples': validateSamples(base),
})

const STATUS_ONLY = (value: string): Schema => ({
  type: 'object',
  properties: { status: { type: 'string', enum: [value], description: 'How it is.' } },
  required: ['status'],
})

/** Answered without a key. */
const open = (
  operationId: string,
  tag: string,
  summary: string,
  description: string,
  responses: OperationObject['responses'],
): PathItem => ({
  get: { operationId, tags: [tag], summary, description, security: [], responses: { ...responses, ...refusals(['headers_too_large']) } },
})

const health = open('getHealth', 'Server', 'Is the process alive', 'For whoever starts the server. Needs no key.', {
  '200': {
    description: 'The process runs.',
    headers: headersOf([]),
    content: { 'application/json': { schema: STATUS_ONLY('ok'), examples: { ok: { summary: 'It runs.', value: { status: 'ok' } } } } },
  },
})

const ready = open('getReadiness', 'Server', 'Can it do its work', 'For a load balancer. Needs no key.', {
  '200': {
    description: 'The database answers and has its tables.',
    headers: headersOf([]),
    content: {
      'application/json': { schema: STATUS_ONLY('ready'), examples: { ready: { summary: 'It can.', value: { status: 'ready' } } } },
    },
  },
  '503': {
    description: 'It can’t just now.',
    headers: headersOf(['Retry-After']),
    content: {
      'application/json': {
        schema: {
          type: 'object',
          properties: {
            status: { type: 'string', enum: ['unavailable'], description: 'How it is.' },
            message: { type: 'string', description: 'What keeps it from its work.' },
          },
          required: ['status', 'message'],
        },
        examples: {
          draining: { summary: 'It is being stopped.', value: { status: 'unavailable', message: 'The server is shutting down.' } },
        },
      },
    },
  },
})

const description = open('getOpenApi', 'Server', 'This description', 'The whole API in OpenAPI 3.1. Needs no key.', {
  '200': {
    description: 'An OpenAPI 3.1 document.',
    headers: headersOf([]),
    content: { 'application/json': { schema: { type: 'object', description: 'An OpenAPI 3.1 document.', additionalProperties: true } } },
  },
})

/** @param base the address of the server, for the examples */
export const makePaths = (base: string): Record<string, PathItem> => ({
  ...Object.fromEntries(Object.values(resources).map((resource) => [`/v1/${resource.name}`, { get: listOperation(resource, base) }])),
  '/v1/tickets/validate/{qrCode}': { post: validate(base) },
  '/v1/openapi.json': description,
  '/healthz': health,
  '/readyz': ready,
})
