/** The OpenAPI operations that list records and that read a single record. */
import { z } from 'zod'
import type { Scope } from '../../accounts/scopes'
import { RESOURCE_NAMES, type ResourceName, resources } from '../../catalog'
import { CREATED, idParam, listParams, MAX_SEARCH, PAGE_SIZE } from '../../catalog/list-params'
import { pageParams, pages } from '../../catalog/pages'
import { type RecordType, type Resource, schemaName } from '../../catalog/resource'
import { tickets } from '../../catalog/ticket'
import { TICKET_SEARCH, ticketParams } from '../../catalog/ticket-operations'
import type { ErrorCode } from '../../core/errors'
import { recordNotFoundError } from '../record-route'
import { RATE_HEADERS, referToHeaders } from './errors'
import { idParameter, jsonContent, keyErrorResponses, recordResponse, security, unknownId } from './parts'
import { listSamples, recordSamples } from './samples'
import type { OperationObject, Parameter, PathItem, Schema } from './types'

/** Defines the operations that list the records of one type, or events, and that read one by its ID. */
type ListDefinition = Pick<RecordType, 'label' | 'example'> & {
  /** The path after `/v1/`. */
  name: string
  scope: Scope
  /** The schema of the list's query parameters. */
  params: z.ZodObject
  /** The members that `search` matches. */
  search?: readonly string[]
  /** The member that the code samples print. */
  printedMember: string
  /** The name of the schema of a record in responses, if it is not the type's schema. */
  responseSchema?: string
  /** The schema of the ID in the path; by default, 24 hexadecimal digits. */
  id?: z.ZodType<string>
  /** The singular and plural names in the descriptions; by default, those of a record. */
  noun?: readonly [one: string, many: string]
  /** The end of the description of the list operation; by default, a period. */
  listSuffix?: string
  /** The end of the description of the operation that reads one record; by default, it mentions the list. */
  recordSuffix?: string
  /** A sentence in the messages for an unknown ID, beginning with a space. For a single record, it replaces the default advice. */
  notFoundHint?: string
  hasTotal?: false
  hasEtag?: false
}

function toListDefinition(name: ResourceName): ListDefinition {
  const { label, record, example, search, filters, columns }: Resource = resources[name]
  const printedMember = columns[0]?.key ?? 'createdAt'
  const listSuffix = 'livemode' in record.shape ? '. Test records are included; their `livemode` is `false`.' : '.'
  const params = listParams(filters)
  return { name, scope: `${name}:read`, label, example, search: Object.keys(search), params, printedMember, listSuffix }
}

/** Returns the descriptions of all query parameters except `search`, by name. Each list has only some of them. */
const describeParameters = ([one, many]: readonly [string, string]): Record<string, string> => ({
  limit: `Maximum number of ${many} to return.`,
  starting_after: `ID of ${one}. Returns the ${many} after it, which are older. Can’t be combined with \`ending_before\`.`,
  ending_before: `ID of ${one}. Returns the ${many} before it, which are newer. Can’t be combined with \`starting_after\`.`,
  pageId: `Only return ${many} of the product or event page with this ID.`,
  status: `Only return ${many} with this status.`,
  checkInStatus: 'Only return tickets with this check-in status.',
  ticketTypeId: 'Only return tickets of the ticket type with this ID.',
  type: `Only return ${many} of this type.`,
  'created[gte]': `Only return ${many} created at this time or later. A date means the start of that day.`,
  'created[gt]': `Only return ${many} created after this time. A date means the end of that day.`,
  'created[lte]': `Only return ${many} created at this time or earlier. A date means the end of that day.`,
  'created[lt]': `Only return ${many} created before this time. A date means the start of that day.`,
})

const alternativesFormat = new Intl.ListFormat('en', { type: 'disjunction' })

/** Returns the query parameters of a list. */
export function listParameters({
  name: list,
  search = [],
  params,
  noun = ['a record', 'records'],
}: Pick<ListDefinition, 'name' | 'search' | 'params' | 'noun'>) {
  const schema = z.toJSONSchema(params, { io: 'input' }) as { properties: Record<string, Schema> }
  const searched = alternativesFormat.format(search.map((path) => `\`${path}\``))
  const descriptions = describeParameters(noun)
  return Object.entries(schema.properties).map(
    ([name, inputSchema]): Parameter => ({
      name,
      in: 'query',
      description:
        name === 'search' ? `Only return ${list} whose ${searched} contains this text. Case-insensitive.` : (descriptions[name] ?? ''),
      schema:
        name === 'limit'
          ? { type: 'integer', minimum: PAGE_SIZE.min, maximum: PAGE_SIZE.max, default: PAGE_SIZE.default }
          : name === 'search' || name === 'ticketTypeId'
            ? { ...inputSchema, minLength: 1, maxLength: MAX_SEARCH }
            : name in CREATED
              ? {
                  anyOf: [
                    { type: 'string', format: 'date-time', description: 'A timestamp.' },
                    { type: 'string', format: 'date', description: 'A date in the seller’s time zone.' },
                    { type: 'integer', description: 'A Unix timestamp in seconds.' },
                  ],
                }
              : inputSchema,
    }),
  )
}

/** The total in the example response of a list. */
const EXAMPLE_TOTAL = 412

/** The errors that a list can return in addition to the common ones. */
export const LIST_ERRORS: ErrorCode[] = [
  'parameter_invalid',
  'parameter_unknown',
  'parameter_repeated',
  'parameters_exclusive',
  'path_invalid',
  'resource_missing',
]

/** Returns the example of the error for a parameter that a list does not have. @param params the schema of its query parameters */
export const unknownParameterExample = ({ shape }: z.ZodObject) => ({
  message: `Unknown parameter 'stauts'. Use ${Object.keys(shape).join(', ')}.`,
})

/** Returns the example of the error for a malformed ID. */
const invalidIdExample = (id: z.ZodType) => ({ message: `id ${id.safeParse('').error?.issues[0]?.message}.`, param: 'id' })

function makeListOperation(definition: ListDefinition): OperationObject {
  const { name, label, params, printedMember, example, scope, noun, listSuffix = '.', notFoundHint = '', hasTotal = true } = definition
  const many = label.many.toLowerCase()
  return {
    operationId: `list${label.many.replaceAll(' ', '')}`,
    tags: [label.many],
    summary: `List ${many}`,
    description: `Returns a list of ${many}, newest first${listSuffix}`,
    security: security(scope),
    parameters: listParameters(definition),
    responses: {
      '200': {
        description: `A list of ${many}.`,
        headers: referToHeaders(RATE_HEADERS),
        content: jsonContent(`${schemaName(definition)}List`, {
          page: {
            summary: `A response with one ${noun ? label.one.toLowerCase() : 'record'}; more follow.`,
            value: { has_more: true, ...(hasTotal ? { total: EXAMPLE_TOTAL } : {}), data: [example] },
          },
        }),
      },
      ...keyErrorResponses(scope, LIST_ERRORS, {
        resource_missing: {
          message: `No ${label.one.toLowerCase()} with id '${unknownId(definition)}'.${notFoundHint} Use the id of the first or last record of a previous response.`,
        },
        parameter_unknown: unknownParameterExample(params),
      }),
    },
    'x-codeSamples': listSamples(name, printedMember),
  }
}

function makeRecordOperation(definition: ListDefinition): OperationObject {
  const { name, label, printedMember, example, scope, id = idParam, recordSuffix, notFoundHint, hasEtag = true } = definition
  const { responseSchema = schemaName({ label }) } = definition
  const one = label.one.toLowerCase()
  const article = /^[aeiou]/.test(one) ? 'an' : 'a'
  return {
    operationId: `get${schemaName({ label })}`,
    tags: [label.many],
    summary: `Get ${article} ${one}`,
    description: `Returns ${article} ${one} by its ID${recordSuffix ?? ', with the same members as in the list.'}`,
    security: security(scope),
    parameters: [idParameter({ label, example }, id)],
    responses: {
      '200': recordResponse({ label, example }, `The ${one}.`, [], responseSchema, hasEtag),
      ...keyErrorResponses(scope, ['parameter_invalid', 'parameter_unknown', 'path_invalid', 'record_not_found'], {
        parameter_invalid: invalidIdExample(id),
        parameter_unknown: { message: "Unknown parameter 'expand'. This operation takes no query parameters.", param: 'expand' },
        record_not_found: {
          message: notFoundHint
            ? `No ${one} with id '${unknownId(definition)}'.${notFoundHint}`
            : recordNotFoundError({ label }, unknownId(definition)).message,
        },
      }),
    },
    'x-codeSamples': recordSamples(name, one, printedMember),
  }
}

/** Returns the operations by path. */
export const toPaths = (definitions: readonly ListDefinition[]): Record<string, PathItem> =>
  Object.fromEntries(
    definitions.flatMap((definition) => [
      [`/v1/${definition.name}`, { get: makeListOperation(definition) }],
      [`/v1/${definition.name}/{id}`, { get: makeRecordOperation(definition) }],
    ]),
  )

/** Returns the operations for records by path. */
export const makeRecordPaths = () =>
  toPaths([
    ...RESOURCE_NAMES.map(toListDefinition),
    {
      ...tickets,
      scope: 'tickets:read',
      params: ticketParams,
      search: Object.keys(TICKET_SEARCH),
      printedMember: 'ticketShortId',
      responseSchema: 'TicketWithCode',
    },
    { ...pages, scope: 'pages:read', params: pageParams, printedMember: 'name' },
  ])
