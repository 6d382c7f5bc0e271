/** The operations in the document that list records and read one record. */
import { z } from 'zod'
import type { Scope } from '../../accounts/scopes'
import { RESOURCE_NAMES, type ResourceName, resources } from '../../catalog'
import { CREATED, idParam, listParams, MAX_SEARCH, PAGE_SIZE } from '../../catalog/list-params'
import { pageParams, pages } from '../../catalog/pages'
import { type RecordType, type Resource, schemaName } from '../../catalog/resource'
import { tickets } from '../../catalog/ticket'
import { TICKET_SEARCH, ticketParams } from '../../catalog/ticket-operations'
import { recordNotFoundError } from '../record-route'
import { errorResponses, RATE_HEADERS, referToHeaders } from './errors'
import { ALWAYS, idParameter, json, recordResponse, scopeMissing, security } from './parts'
import { listSamples, recordSamples } from './samples'
import type { OperationObject, Parameter, PathItem, Schema } from './types'

/** Describes the operations that list records of one type (or events) and that read one by its ID, for the document. */
export type ListDocument = Pick<RecordType, 'label' | 'example'> & {
  /** The path after `/v1/`. */
  name: string
  scope: Scope
  /** The schema of the list's query parameters. */
  params: z.ZodObject
  /** The members that `search` matches. */
  search?: readonly string[]
  /** The member that the code samples print. */
  shown: string
  /** The name of the records' schema, if it differs from the type's. */
  served?: string
  /** The schema of the ID in the path; by default, 24 hexadecimal digits. */
  id?: z.ZodType<string>
  /** The singular and plural names in the descriptions; by default, those of a record. */
  noun?: readonly [one: string, many: string]
  /** Text appended to the descriptions of the list operation and of the operation that reads one record. */
  more?: string
  recordSuffix?: string
  /** An additional sentence in the message for an unknown ID. */
  unknown?: string
  hasTotal?: false
  hasEtag?: false
}

function toListDocument(name: ResourceName): ListDocument {
  const { label, record, example, search, filters, columns }: Resource = resources[name]
  const shown = columns[0]?.key ?? 'createdAt'
  const more = 'livemode' in record.shape ? '. Test records are included; their `livemode` is `false`.' : '.'
  return { name, scope: `${name}:read`, label, example, search: Object.keys(search), params: listParams(filters), shown, more }
}

/** Returns the descriptions of all parameters by name. Each list has only some of the parameters. */
const describeParameters = ([one, many]: readonly [string, string]): Record<string, string> => ({
  limit: `Number of ${many} to return.`,
  starting_after: `ID of ${one}. Returns the ${many} after it, which are older. Can’t be combined with \`ending_before\`.`,
  ending_before: `ID of ${one}. Returns the ${many} before it, which are newer. Can’t be combined with \`starting_after\`.`,
  pageId: `Only return ${many} of the product or event page with this ID.`,
  status: `Only return ${many} with this status.`,
  checkInStatus: 'Only return tickets with this check-in status.',
  ticketTypeId: 'Only return tickets of the ticket type with this ID.',
  type: `Only return ${many} of this type.`,
  'created[gte]': `Only return ${many} created at this time or later. A date is the start of that day.`,
  'created[gt]': `Only return ${many} created after this time. A date is the end of that day.`,
  'created[lte]': `Only return ${many} created at this time or earlier. A date is the end of that day.`,
  'created[lt]': `Only return ${many} created before this time. A date is the start of that day.`,
})

const alternativesFormat = new Intl.ListFormat('en', { type: 'disjunction' })

/** Returns the query parameters of a list. */
export function listParameters({
  name: list,
  search = [],
  params,
  noun = ['a record', 'records'],
}: Pick<ListDocument, 'name' | 'search' | 'params' | 'noun'>) {
  const schema = z.toJSONSchema(params, { io: 'input' }) as { properties: Record<string, Schema> }
  const searched = alternativesFormat.format(search.map((path) => `\`${path}\``))
  const descriptions = describeParameters(noun)
  return Object.entries(schema.properties).map(
    ([name, given]): Parameter => ({
      name,
      in: 'query',
      description:
        name === 'search' ? `Only return ${list} whose ${searched} contains this text. Case-insensitive.` : (descriptions[name] ?? ''),
      schema:
        name === 'limit'
          ? { type: 'integer', minimum: PAGE_SIZE.min, maximum: PAGE_SIZE.max, default: PAGE_SIZE.default }
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
    }),
  )
}

/** The total in the example response of a list. */
const EXAMPLE_TOTAL = 412
const UNKNOWN = '00000000000000000000000a'

/** Returns an ID that no record has, in the format of the example's ID. */
const unknownId = ({ example }: Pick<ListDocument, 'example'>) => String(example.id).replace(/[0-9a-f]{24}$/, UNKNOWN)

/** Returns the example of the error for a malformed ID. */
const invalidIdExample = (id: z.ZodType) => ({ message: `id ${id.safeParse('').error?.issues[0]?.message}.`, param: 'id' })

function listOperation(listed: ListDocument, base: string): OperationObject {
  const { name, label, params, shown, example, scope, noun, more = '.', unknown = '', hasTotal = true } = listed
  const many = label.many.toLowerCase()
  return {
    operationId: `list${label.many.replaceAll(' ', '')}`,
    tags: [label.many],
    summary: `List ${many}`,
    description: `Returns a page of ${many}, newest first${more}`,
    security: security(scope),
    parameters: listParameters(listed),
    responses: {
      '200': {
        description: `A page of ${many}.`,
        headers: referToHeaders(RATE_HEADERS),
        content: json(`${schemaName(listed)}List`, {
          page: {
            summary: `A page with one ${noun ? label.one.toLowerCase() : 'record'}, followed by more.`,
            value: { has_more: true, ...(hasTotal ? { total: EXAMPLE_TOTAL } : {}), data: [example] },
          },
        }),
      },
      ...errorResponses(
        ['parameter_invalid', 'parameter_unknown', 'parameter_repeated', 'parameters_exclusive', 'resource_missing', ...ALWAYS],
        {
          resource_missing: {
            message: `No ${label.one.toLowerCase()} with id '${unknownId(listed)}'.${unknown} Use the id of the first or last record of a previous page.`,
          },
          parameter_unknown: { message: `Unknown parameter 'stauts'. Use ${Object.keys(params.shape).join(', ')}.` },
          scope_missing: scopeMissing(scope),
        },
      ),
    },
    'x-codeSamples': listSamples(base, name, shown),
  }
}

function recordOperation(listed: ListDocument, base: string): OperationObject {
  const { name, label, shown, example, scope, id = idParam, served = schemaName({ label }), recordSuffix, unknown, hasEtag = true } = listed
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
      '200': recordResponse({ label, example }, `The ${one}.`, [], served, hasEtag),
      ...errorResponses(['parameter_invalid', 'parameter_unknown', 'path_invalid', 'record_not_found', ...ALWAYS], {
        parameter_invalid: invalidIdExample(id),
        parameter_unknown: { message: "Unknown parameter 'expand'. This operation takes no query parameters.", param: 'expand' },
        record_not_found: {
          message: unknown
            ? `No ${one} with id '${unknownId(listed)}'.${unknown}`
            : recordNotFoundError({ label }, unknownId(listed)).message,
        },
        scope_missing: scopeMissing(scope),
      }),
    },
    'x-codeSamples': recordSamples(base, name, one, shown),
  }
}

/** Returns the operations by path. @param base the server's URL, for the code samples */
export const listedPaths = (all: readonly ListDocument[], base: string): Record<string, PathItem> =>
  Object.fromEntries(
    all.flatMap((listed) => [
      [`/v1/${listed.name}`, { get: listOperation(listed, base) }],
      [`/v1/${listed.name}/{id}`, { get: recordOperation(listed, base) }],
    ]),
  )

/** Returns the operations for records by path. @param base the server's URL, for the code samples */
export const listPaths = (base: string) =>
  listedPaths(
    [
      ...RESOURCE_NAMES.map(toListDocument),
      {
        ...tickets,
        scope: 'tickets:read',
        params: ticketParams,
        search: Object.keys(TICKET_SEARCH),
        shown: 'ticketShortId',
        served: 'TicketWithCode',
      },
      { ...pages, scope: 'pages:read', params: pageParams, shown: 'name' },
    ],
    base,
  )
