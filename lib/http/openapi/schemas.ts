/** The schemas in the OpenAPI document, generated from the zod schemas that validate records and requests. */
import { z } from 'zod'
import { recordTypes, resources, SECRET_MEMBERS } from '../../catalog'
import { pages } from '../../catalog/pages'
import { schemaName } from '../../catalog/resource'
import { ticketWithCode } from '../../catalog/ticket-operations'
import { validationBody, validationResponse } from '../../catalog/ticket-validation'
import { webhookDelivery } from '../../catalog/webhook-delivery'
import { writeOperations } from '../../catalog/write-operations'
import { event } from '../../events/event'
import type { Schema } from './types'

/** Returns a reference to a schema of the document. */
export const refTo = (name: string) => ({ $ref: `#/components/schemas/${name}` })

/** Removes from a schema the keywords that matter only for validation, such as the pattern of a date that also has a format. */
function removeValidationKeywords(schema: Schema, isRequest: boolean): void {
  if (schema.format) delete schema.pattern
  if (isRequest) return
  delete schema.default
  // Later releases can add members to responses, and clients must not reject them.
  if (schema.additionalProperties === false) delete schema.additionalProperties
}

/** Adds the required scope to the schema of a secret member. */
const withScope = ([name, member]: [string, Schema]) =>
  [name, SECRET_MEMBERS.some((secret) => secret === name) ? { ...member, 'x-scope': 'secrets:read' } : member] as const

/** Returns the JSON schema of each zod schema that has an ID, including nested ones, keyed by ID. */
function convert(schemas: [z.ZodType, ...z.ZodType[]], io: 'input' | 'output'): Record<string, Schema> {
  const converted = z.toJSONSchema(z.tuple(schemas), {
    io,
    override: ({ jsonSchema }) => removeValidationKeywords(jsonSchema as Schema, io === 'input'),
  })
  const definitions = JSON.parse(JSON.stringify(converted.$defs).replaceAll('#/$defs/', refTo('').$ref)) as Record<string, Schema>
  return Object.fromEntries(
    Object.entries(definitions).map(([title, schema]) => [
      title,
      { title, ...schema, properties: Object.fromEntries(Object.entries(schema.properties ?? {}).map(withScope)) },
    ]),
  )
}

const TOTAL: Schema = {
  type: 'integer',
  minimum: 0,
  description: 'Total number of records that match the filters, not only those in this response.',
}

/** Returns the schema of a list. @param many the plural name of its items @param items the name of their schema */
function makeListSchema(name: string, many: string, { items = name, hasTotal = true } = {}): Schema {
  const beyond = `more ${hasTotal ? 'records' : many} beyond this response`
  return {
    title: `${name}List`,
    description: `A list of ${many}, newest first.`,
    type: 'object',
    properties: {
      has_more: { type: 'boolean', description: `Whether there are ${beyond}, in the direction of pagination.` },
      ...(hasTotal ? { total: TOTAL } : {}),
      data: { type: 'array', maxItems: 100, items: refTo(items), description: `The ${many} in this response.` },
    },
    required: ['has_more', ...(hasTotal ? ['total'] : []), 'data'],
  }
}

const error: Schema = {
  title: 'Error',
  description: 'An error. Use `code` in your code; `message` is for people.',
  type: 'object',
  properties: {
    error: { type: 'string', description: 'Reason phrase of the HTTP status (for example, `Bad Request`).' },
    message: { type: 'string', description: 'Human-readable description of the error and how to resolve it. The wording can change.' },
    code: { type: 'string', description: 'Machine-readable error code. The meaning of a code never changes.' },
    param: { type: 'string', description: 'Parameter, header or body member that caused the error. Absent if there is none.' },
    requestId: {
      type: 'string',
      pattern: '^req_[0-9a-z]+$',
      description: 'ID of the request, equal to the `Request-Id` header. A replayed response has the ID of the original request.',
    },
  },
  required: ['error', 'message', 'code', 'requestId'],
}

/** Returns all schemas of the document by name. */
export function makeSchemas(): Record<string, Schema> {
  const [first, ...others] = recordTypes.map(({ record }) => record)
  if (!first) throw new Error('The catalog has no record type.')
  return {
    ...convert([first, ...others, validationResponse, event, ticketWithCode, webhookDelivery], 'output'),
    ...convert([validationBody, ...writeOperations.flatMap(({ body }) => body ?? [])], 'input'),
    ...Object.fromEntries(
      [...Object.values(resources), pages].map((type) => [`${schemaName(type)}List`, makeListSchema(schemaName(type), type.name)]),
    ),
    TicketList: makeListSchema('Ticket', 'tickets', { items: 'TicketWithCode' }),
    WebhookEndpointList: makeListSchema('WebhookEndpoint', 'webhook endpoints'),
    EventList: makeListSchema('Event', 'events', { hasTotal: false }),
    WebhookDeliveryList: makeListSchema('WebhookDelivery', 'deliveries', { hasTotal: false }),
    Error: error,
  }
}
