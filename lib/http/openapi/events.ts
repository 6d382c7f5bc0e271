/** The operations of events in the document. */
import { z } from 'zod'
import { EVENT_TYPES } from '../../catalog/event-types'
import { PAGE_SIZE } from '../../catalog/list-params'
import { eventParams, EVENT_EXAMPLE as example } from '../../events/event'
import { headersOf, RATE_HEADERS, refusals } from './errors'
import { ALWAYS, json, security } from './parts'
import { listSamples, recordSamples } from './samples'
import { refTo } from './schemas'
import type { OperationObject, Parameter, PathItem, Schema } from './types'

export const EVENTS_TAG_NAME = 'Events'

/** The introduction of the section. */
export const EVENTS_TAG =
  'An event says what happened to a record, and contains the record after the change. Events are kept for 30 days. The guide lists their [types](#event-types).'

const EVENT = 'evt_00000000000000000000000a'

const PARAMETERS: Record<string, string> = {
  limit: 'Number of events to return.',
  starting_after: 'ID of an event. Returns the events after it, which are older. Can’t be combined with `ending_before`.',
  ending_before: 'ID of an event. Returns the events before it, which are newer. Can’t be combined with `starting_after`.',
  type: 'Only return events of this type.',
  'created[gte]': 'Only return events created at this time or later. A date is the start of that day.',
  'created[gt]': 'Only return events created after this time. A date is the end of that day.',
  'created[lte]': 'Only return events created at this time or earlier. A date is the end of that day.',
  'created[lt]': 'Only return events created before this time. A date is the start of that day.',
}

const schemaOf: Record<string, Schema> = {
  limit: { type: 'integer', minimum: PAGE_SIZE.least, maximum: PAGE_SIZE.most, default: PAGE_SIZE.usual },
  type: { type: 'string', enum: Object.keys(EVENT_TYPES) },
}

const parameters = (): Parameter[] => {
  const { properties } = z.toJSONSchema(eventParams, { io: 'input' }) as { properties: Record<string, Schema> }
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    description: PARAMETERS[name] ?? '',
    schema: schemaOf[name] ?? schema,
  }))
}

const scopeMissing = { message: "This API key lacks the scope 'events:read'. Use a key that has it." }

const list = (base: string): OperationObject => ({
  operationId: 'listEvents',
  tags: [EVENTS_TAG_NAME],
  summary: 'List events',
  description:
    'Returns a page of events, newest first, in the order in which they were committed. To read new events, page with `ending_before` from the newest event that you have: no event is skipped, even if it was committed later than others. There is no `total`.',
  security: security('events:read'),
  parameters: parameters(),
  responses: {
    '200': {
      description: 'A page of events.',
      headers: headersOf(RATE_HEADERS),
      content: json('EventList', {
        page: { summary: 'A page with one event, followed by more.', value: { has_more: true, data: [example] } },
      }),
    },
    ...refusals(['parameter_invalid', 'parameter_unknown', 'parameter_repeated', 'parameters_exclusive', 'resource_missing', ...ALWAYS], {
      resource_missing: {
        message: `No event with id '${EVENT}'. Events are kept for 30 days. Use the id of the first or last event of a previous page.`,
      },
      parameter_unknown: { message: `Unknown parameter 'stauts'. Use ${Object.keys(eventParams.shape).join(', ')}.` },
      scope_missing: scopeMissing,
    }),
  },
  'x-codeSamples': listSamples(base, 'events', 'type'),
})

const get = (base: string): OperationObject => ({
  operationId: 'getEvent',
  tags: [EVENTS_TAG_NAME],
  summary: 'Get an event',
  description: 'Returns an event by its ID.',
  security: security('events:read'),
  parameters: [
    {
      name: 'id',
      in: 'path',
      required: true,
      description: 'ID of the event.',
      schema: { type: 'string', pattern: '^evt_[0-9a-fA-F]{24}$' },
      example: example.id,
    },
  ],
  responses: {
    '200': {
      description: 'The event.',
      headers: headersOf(RATE_HEADERS),
      content: {
        'application/json': {
          schema: { type: 'object', properties: { data: { ...refTo('Event'), description: 'The event.' } }, required: ['data'] },
          examples: { event: { summary: 'The event.', value: { data: example } } },
        },
      },
    },
    ...refusals(['parameter_invalid', 'parameter_unknown', 'path_invalid', 'record_not_found', ...ALWAYS], {
      parameter_invalid: { message: 'id must be the id of an event, such as evt_6b0120895a117e0002000802.', param: 'id' },
      parameter_unknown: { message: "Unknown parameter 'expand'. This operation takes no query parameters.", param: 'expand' },
      record_not_found: { message: `No event with id '${EVENT}'. Events are kept for 30 days.` },
      scope_missing: scopeMissing,
    }),
  },
  'x-codeSamples': recordSamples(base, 'events', 'event', 'type'),
})

/** Returns the operations of events by path. @param base the server's URL, for the code samples */
export const eventPaths = (base: string): Record<string, PathItem> => ({
  '/v1/events': { get: list(base) },
  '/v1/events/{id}': { get: get(base) },
})
