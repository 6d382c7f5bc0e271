/** The words of the tables. */
import type { ResourceName } from '@/lib/catalog'

export const listWords = {
  search: 'Search',
  searchHint: {
    payments: 'E-mail or order',
    bookings: 'E-mail or order',
    subscriptions: 'E-mail, order or name',
    coupons: 'Label or code',
  } satisfies Record<ResourceName, string>,
  status: 'Status',
  anyStatus: 'Any status',
  page: 'Page',
  anyPage: 'Any page',
  perPage: 'Rows',
  columns: 'Columns',
  notKept: 'This could not be kept. Choose it again in a moment.',
  exportAll: (total: number) => `Export ${total.toLocaleString('en')}`,
  exportHint: 'Every record that these filters leave, as a CSV file',
  curl: 'Copy as curl',
  curlWhat: 'the API call of this view',
  curlHint: 'The API call of this view. Set KEY to an API key before it runs.',
  newer: 'Newer',
  older: 'Older',
  /** Where a page of so many stands; undefined `from` where that would have to be counted. */
  position: (from: number | undefined, count: number, total: number) =>
    `${from === undefined ? count : `${from.toLocaleString('en')}–${(from + count - 1).toLocaleString('en')}`} of ${total.toLocaleString('en')}`,
  none: 'None',
  test: 'test',
  pages: 'Pages of the list',
  nothingYet: (what: string) => `No ${what.toLowerCase()} yet`,
  nothingYetHint: 'They appear here as soon as they are imported.',
  nothingMatches: 'Nothing matches',
  nothingMatchesHint: 'No record has all of this. Search for less, or leave a filter out.',
  clear: 'Clear search and filters',
  badLink: 'This link does not fit this list',
  firstPage: 'Show the newest',
} as const
