/** Text of the tables. */
import { formatCount } from './format'

export const listCopy = {
  search: 'Search',
  /** Returns a placeholder such as "Search email or order number". */
  searchHint: (members: string[]) => `Search ${new Intl.ListFormat('en', { type: 'disjunction' }).format(members)}`,
  status: 'Status',
  anyStatus: 'All statuses',
  checkIn: 'Check-in',
  anyCheckIn: 'Checked in or not',
  page: 'Product or event',
  anyPage: 'All products & events',
  /** Labels of the date filters. */
  bounds: { 'created[gte]': 'From', 'created[gt]': 'After', 'created[lte]': 'To', 'created[lt]': 'Before' },
  removeFilter: 'Remove filter',
  perPage: 'Rows per page',
  columns: 'Columns',
  columnsNotSaved: 'Couldn’t save your columns. Try again.',
  exportAll: (total: number) => `Export (${formatCount(total)})`,
  exportHint: (total: number, what: string) => `Download all ${formatCount(total)} matching ${what} as CSV`,
  curl: 'Copy API request',
  curlWhat: 'API request',
  previous: 'Previous',
  next: 'Next',
  newer: (what: string) => `Newer ${what}`,
  older: (what: string) => `Older ${what}`,
  /** Returns the position of a page's rows in the list, such as "21–40 of 2,000". @param from undefined if it was not counted */
  position: (from: number | undefined, count: number, total: number) =>
    `${from === undefined ? formatCount(count) : `${formatCount(from)}–${formatCount(from + count - 1)}`} of ${formatCount(total)}`,
  test: 'test',
  pages: 'Pagination',
  nothingYet: (what: string) => `No ${what} yet`,
  nothingYetHint: (what: string) => `Connect Stripe or import a file to see ${what} here.`,
  nothingMatches: (what: string, search: string | undefined) => `No ${what} match ${search ? `“${search}”` : 'these filters'}`,
  nothingMatchesHint: 'Check the spelling or clear a filter.',
  clear: 'Clear search and filters',
  badLink: 'This link isn’t valid anymore',
  firstPage: 'Go to first page',
} as const
