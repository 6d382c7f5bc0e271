/** The list and the single read of each type of record in the document. */
import { z } from 'zod'
import { RESOURCE_NAMES, type ResourceName, resources } from '../../catalog'
import { CREATED, listParams, MAX_SEARCH, PAGE_SIZE } from '../../catalog/list-params'
import { pageParams, pages } from '../../catalog/pages'
import { type RecordType, type Resource, schemaName } from '../../catalog/resource'
import { tickets } from '../../catalog/ticket'
import { TICKET_SEARCH, ticketParams } from '../../catalog/ticket-operations'
import { recordNotFoundError } from '../record-route'
import { headersOf, RATE_HEADERS, refusals } from './errors'
import { ALWAYS, idParameter, json, recordResponse, security } from './parts'
import { listSamples, recordSamples } from './samples'
import type { OperationObject, Parameter, PathItem, Schema } from './types'

/** A type of record with a list. */
type Listed = Omit<RecordType, 'name'> & {
  name: ResourceName | 'tickets' | 'pages'
  /** The schema of the list's query parameters. */
  params: z.ZodObject
  /** The members that `search` matches. */
  search: readonly string[]
  /** The member that the code samples print. */
  shown: string
  /** The name of the schema of the records, if it is not that of the type. */
  served?: string
}

function toListed(name: ResourceName): Listed {
  const { label, description, record, example, search, filters, columns }: Resource = resources[name]
  const shown = columns[0]?.key ?? 'createdAt'
  return { name, label, description, record, example, search: Object.keys(search), params: listParams(filters), shown }
}

/** The descriptions of a list's parameters; `listParams` has their names and schemas. */
const PARAMETERS: Record<string, string> = {
  limit: 'Number of records to return.',
  starting_after: 'ID of a record. Returns the records after it, which are older. Can’t be combined with `ending_before`.',
  ending_before: 'ID of a record. Returns the records before it, which are newer. Can’t be combined with `starting_after`.',
  pageId: 'Only return records of the product or event page with this ID.',
  status: 'Only return records with this status.',
  checkInStatus: 'Only return tickets with this check-in status.',
  ticketTypeId: 'Only return tickets of the ticket type with this ID.',
  'created[gte]': 'Only return records created at this time or later. A date is the start of that day.',
  'created[gt]': 'Only return records created after this time. A date is the end of that day.',
  'created[lte]': 'Only return records created at this time or earlier. A date is the end of that day.',
  'created[lt]': 'Only return records created before this time. A date is the start of that day.',
}

const formatAlternatives = new Intl.ListFormat('en', { type: 'disjunction' })

function parametersOf({ name: list, search, params }: Listed): Parameter[] {
  const schema = z.toJSONSchema(params, { io: 'input' }) as { properties: Record<string, Schema> }
  const searched = formatAlternatives.format(search.map((path) => `\`${path}\``))
  return Object.entries(schema.properties).map(([name, given]) => ({
    name,
    in: 'query',
    description:
      name === 'search' ? `Only return ${list} whose ${searched} contains this text. Case-insensitive.` : (PARAMETERS[name] ?? ''),
    schema:
      name === 'limit'
        ? { type: 'integer', minimum: PAGE_SIZE.least, maximum: PAGE_SIZE.most, default: PAGE_SIZE.usual }
        : name === 'search' || name === 'ticketTypeId'
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

function listOperation(listed: Listed, base: string): OperationObject {
  const { name, label, record, params, shown, example } = listed
  const schema = `${schemaName(listed)}List`
  const parameters = Object.keys(params.shape).join(', ')
  return {
    operationId: `list${label.many.replaceAll(' ', '')}`,
    tags: [label.many],
    summary: `List ${name}`,
    description: `Returns a page of ${name}, newest first.${'livemode' in record.shape ? ' Test records are included; their `livemode` is `false`.' : ''}`,
    security: security(`${name}:read`),
    parameters: parametersOf(listed),
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
    'x-codeSamples': listSamples(base, name, shown),
  }
}

function recordOperation({ name, label, shown, example, served = schemaName({ label }) }: Listed, base: string): OperationObject {
  const one = label.one.toLowerCase()
  return {
    operationId: `get${schemaName({ label })}`,
    tags: [label.many],
    summary: `Get a ${one}`,
    description: `Returns a ${one} by its ID, with the same members as in the list.`,
    security: security(`${name}:read`),
    parameters: [idParameter({ label, example })],
    responses: {
      '200': recordResponse({ label, example }, `The ${one}.`, [], served),
      ...refusals(['parameter_invalid', 'parameter_unknown', 'path_invalid', 'record_not_found', ...ALWAYS], {
        parameter_invalid: { message: 'id must be an id of 24 hex digits.', param: 'id' },
        parameter_unknown: { message: "Unknown parameter 'expand'. This operation takes no query parameters.", param: 'expand' },
        record_not_found: { message: recordNotFoundError({ label }, '00000000000000000000000a').message },
        scope_missing: { message: `This API key lacks the scope '${name}:read'. Use a key that has it.` },
      }),
    },
    'x-codeSamples': recordSamples(base, name, one, shown),
  }
}

/** Returns the operations by path. @param base the server's URL, for the code samples */
export function listPaths(base: string): Record<string, PathItem> {
  const all: Listed[] = [
    ...RESOURCE_NAMES.map(toListed),
    { ...tickets, params: ticketParams, search: Object.keys(TICKET_SEARCH), shown: 'ticketShortId', served: 'TicketWithCode' },
    { ...pages, params: pageParams, search: [], shown: 'name' },
  ]
  return Object.fromEntries(
    all.flatMap((listed) => [
      [`/v1/${listed.name}`, { get: listOperation(listed, base) }],
      [`/v1/${listed.name}/{id}`, { get: recordOperation(listed, base) }],
    ]),
  )
}
