/** The operations in the document that list and read events. */
import { eventIdParam, eventParams, EVENT_EXAMPLE as example } from '../../events/event'
import { listedPaths } from './lists'

export const EVENTS_TAG_NAME = 'Events'

/** The introduction to the section. */
export const EVENTS_TAG =
  'An event describes a change to a record and contains the record after the change. Events are kept for 30 days. The guide lists their [types](#event-types).'

/** Returns the operations for events by path. @param base the server's URL, for the code samples */
export const eventPaths = (base: string) =>
  listedPaths(
    [
      {
        name: 'events',
        scope: 'events:read',
        label: { one: 'Event', many: EVENTS_TAG_NAME },
        example,
        params: eventParams,
        shown: 'type',
        id: eventIdParam,
        noun: ['an event', 'events'],
        more: '. Their order can differ slightly from that of `createdAt`, even for one record. To read new events, paginate with `ending_before` from the newest event that you have: no event is skipped, even if it was committed later than others. There is no `total`.',
        recordSuffix: '.',
        unknown: ' Events are kept for 30 days.',
        hasTotal: false,
        hasEtag: false,
      },
    ],
    base,
  )
