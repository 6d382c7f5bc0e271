/** Checkout pages: the products and events that a seller sells. */
import { z } from 'zod'
import { createdParams, idParam, limitParam } from './list-params'
import { defineRecordType } from './resource'
import { enumeration, instant, objectId, text, wholeNumber } from './shapes'

// Not specified: whether a ticket can admit its guest more than once.
/** How many times a ticket for the event admits its guest. */
export const entryPolicy = enumeration({
  single: 'Each ticket is accepted once.',
  reentry: 'A ticket is accepted again after its guest has checked out.',
  multiple: 'A ticket is accepted any number of times.',
})
export type EntryPolicy = z.output<typeof entryPolicy>

/** The schema of the maximum number of people inside at the same time. */
export const capacity = wholeNumber(1, 1_000_000)

type EventTimes = { startsAt?: string | null | undefined; endsAt?: string | null | undefined }

/** Returns false if the event ends before it starts. Returns true if either time is unknown. */
export const hasOrderedTimes = ({ startsAt, endsAt }: EventTimes): boolean => !startsAt || !endsAt || startsAt <= endsAt

/** Returns a schema that also rejects an event that ends before it starts. */
export const withOrderedTimes = <Schema extends z.ZodType<EventTimes>>(schema: Schema): Schema =>
  schema.refine(hasOrderedTimes, { path: ['endsAt'], message: 'must not be before startsAt' })

export const pages = defineRecordType({
  name: 'pages',
  label: { one: 'Page', many: 'Pages' },
  description:
    'A page is a product or an event that you sell. Orders, subscriptions and tickets refer to it with `pageId`, and coupons with `pageIds`.',
  record: z.strictObject({
    id: objectId.describe('Unique identifier of the page.'),
    name: text.min(1, 'must not be empty').describe('Name of the product or event.'),
    entryPolicy: entryPolicy.default('single').describe('How many times a ticket admits its guest.'),
    startsAt: instant.optional().describe('Start of the event.'),
    endsAt: instant.optional().describe('End of the event.'),
    capacity: capacity
      .optional()
      .describe(
        'Maximum number of people inside at the same time. The check-in page shows a notice when it is reached, but guests can still be admitted.',
      ),
    createdAt: instant.describe('Time at which the page was created. Lists are sorted by it, newest first.'),
  }),
  example: {
    id: '680784c0821027c4d1044cb9',
    name: 'Harbor Festival 2026',
    entryPolicy: 'reentry',
    startsAt: '2026-11-21T18:00:00.000Z',
    endsAt: '2026-11-21T23:00:00.000Z',
    capacity: 1200,
    createdAt: '2026-04-22T12:00:00.000Z',
  },
})

/** The query parameters of `GET /v1/pages`. */
export const pageParams = z.strictObject({
  limit: limitParam,
  starting_after: idParam.optional(),
  ending_before: idParam.optional(),
  ...createdParams,
})
