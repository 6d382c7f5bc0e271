/** The OpenAPI operations that list events and that read a single event. */
import { eventIdParam } from '../../catalog/list-params'
import { eventParams, EVENT_EXAMPLE as example } from '../../events/event'
import { toPaths } from './lists'

export const EVENTS_TAG_NAME = 'Events'

/** The introduction to the section on events. */
export const EVENTS_TAG =
  'An event describes a change to a record and contains the record after the change. Events are kept for 30 days. The guide lists their [types](#event-types).'

/** Returns the operations for events by path. */
export const makeEventPaths = () =>
  toPaths([
    {
      name: 'events',
      scope: 'events:read',
      label: { one: 'Event', many: EVENTS_TAG_NAME },
      example,
      params: eventParams,
      printedMember: 'type',
      id: eventIdParam,
      noun: ['an event', 'events'],
      listSuffix:
        '. Their order can differ slightly from that of `createdAt`, even for one record. To read new events, paginate with `ending_before` from the newest event that this list has returned: no event is skipped, even if it was committed later than others. Don’t start from an event that you only received in a webhook: an earlier event may be committed after it, and would be skipped. There is no `total`.',
      recordSuffix: '.',
      notFoundHint: ' Events are kept for 30 days.',
      hasTotal: false,
      hasEtag: false,
    },
  ])
