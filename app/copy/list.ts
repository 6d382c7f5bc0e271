/** UI text for the tables. */
import type { SortKey } from '@/lib/catalog/columns'
import type { Period } from '@/lib/catalog/table-params'
import { formatCount, formatPlural } from './format'

const periods: Record<Period, string> = {
  today: 'Today',
  yesterday: 'Yesterday',
  '7d': '7 days',
  '30d': '30 days',
  this_month: 'This month',
  last_month: 'Last month',
  this_year: 'This year',
}

/** The labels for ascending and for descending order. */
const sortBy: Record<SortKey, readonly [string, string]> = {
  createdAt: ['Oldest first', 'Newest first'],
  amount: ['Amount: lowest first', 'Amount: highest first'],
  customer: ['Name: A to Z', 'Name: Z to A'],
  uses: ['Uses: fewest first', 'Uses: most first'],
}

const formatList = (names: string[]) => new Intl.ListFormat('en', { type: 'disjunction' }).format(names)

export const listCopy = {
  search: 'Search',
  /** Returns a placeholder that is short enough for the field, such as "Search email or order". */
  searchHint: (members: string[]) => `Search ${formatList(members.slice(0, 2)).replace(' number', '')}`,
  /** Returns a tooltip with everything the search covers, such as "Search name, email, or order number". */
  searchMembers: (members: string[]) => `Search ${formatList(members)}`,
  name: 'name',
  statuses: 'By status',
  all: 'All',
  otherStatuses: 'Other',
  status: 'Status',
  checkIn: 'Check-in',
  checkedIn: 'Check-in date',
  checkedInFrom: 'From',
  checkedInTo: 'To',
  type: 'Type',
  /** Tabs of the tickets table. */
  ticketTabs: { all: 'All', checkedIn: 'Checked in', expected: 'Not checked in', canceled: 'Canceled' },
  page: 'Product or event',
  order: 'Order',
  date: 'Date',
  amount: 'Amount',
  method: 'Method',
  mode: 'Live/test',
  live: 'Live',
  testMode: 'Test',
  periods,
  quickPeriods: 'By date',
  /** Labels for the date filters. */
  bounds: { 'created[gte]': 'From', 'created[gt]': 'After', 'created[lte]': 'To', 'created[lt]': 'Before' },
  sort: 'Sort',
  sortBy,
  moreActions: 'More actions',
  /** Returns the text after the number of new records. */
  newRecords: (what: string) => `new ${what}`,
  select: (record: string) => `Select ${record}`,
  selectAll: 'Select all rows on this page',
  selectRows: 'Select rows',
  density: { compact: 'Use taller rows', comfortable: 'Use compact rows' },
  justNow: 'just now',
  deleted: 'deleted',
  expired: 'expired',
  perPage: 'Rows per page',
  exportGuests: 'Guest list',
  exportGuestsHint: 'Names of events and ticket types, local times, and notes',
  exportAll: (total: number) => `Export (${formatCount(total)})`,
  exportFields: 'All fields',
  exportFieldsHint: 'All fields except secrets, with amounts in minor units and times in UTC',
  exportSummary: 'Summary for bookkeeping',
  exportSummaryHint: 'Decimal amounts, local times, names, and totals per currency',
  exportHint: (total: number, what: string) => `Download all ${formatCount(total)} matching ${what} as CSV`,
  curlUnavailable:
    'The API can’t express this view. Clear the amount, method, live/test and check-in date filters and the sorting, select at most one option in each other filter, and search only for an email address or a number.',
  previous: 'Previous',
  next: 'Next',
  newer: (what: string) => `Newer ${what}`,
  older: (what: string) => `Older ${what}`,
  previousPage: 'Previous page',
  nextPage: 'Next page',
  /** Returns the position of a page's rows in the list, such as "21–40 of 2,000". @param from undefined if it was not counted */
  position: (from: number | undefined, count: number, total: number) =>
    `${from === undefined ? formatCount(count) : `${formatCount(from)}–${formatCount(from + count - 1)}`} of ${formatCount(total)}`,
  /**
   * Returns a summary such as "58 payments · €1,284.00 · ¥12,500 · excluding 2 test payments".
   *
   * @param tests the number of records excluded from the sums
   */
  summary: (total: number, one: string, many: string, sums: string[], tests: number) =>
    [
      formatPlural(total, one, many),
      ...sums,
      ...(tests > 0 ? [`excluding ${formatPlural(tests, `test ${one}`, `test ${many}`)}`] : []),
    ].join(' · '),
  /** Returns an order total and the amount received, such as "€90.00 (€65.00 received)". */
  received: (amount: string, received: string) => `${amount} (${received} received)`,
  times: (count: string) => `${count} ×`,
  summaryHint: 'Sums include live records only, unless you filter for test records.',
  receivedHint: 'Partially paid orders count in full, except in the amount received.',
  test: 'test',
  pages: 'Pagination',
  nothingYet: (what: string) => `No ${what} yet`,
  nothingYetHint: (what: string, canComeFromStripe: boolean) =>
    canComeFromStripe ? `Connect Stripe or import a file to see ${what} here.` : `Import a file to see ${what} here.`,
  connectStripe: 'Connect Stripe',
  importFile: 'Import',
  importHint: 'To import a file, your server admin runs this command:',
  importCommand: 'command',
  emptyPage: (what: string) => `No ${what} on this page`,
  emptyPageHint: (isFiltered: boolean) => `The rows may have been deleted${isFiltered ? ', or no longer match the filters' : ''}.`,
  nothingMatches: (what: string, search: string | undefined) => `No ${what} match ${search ? `“${search}”` : 'these filters'}`,
  nothingMatchesHint: (isSearch: boolean) => (isSearch ? 'Check the spelling, or clear the search.' : 'Clear a filter to see more.'),
  didYouMean: 'Did you mean',
  clear: 'Clear search and filters',
  badLink: 'This link isn’t valid anymore',
  /** What is wrong with a link: a date (`created`), a period, a cursor, or any other parameter. */
  badLinkHints: {
    created: 'A date is invalid, or the start date is after the end date. Change the dates or remove the date filter.',
    period: 'This link has an unknown period or two date filters. Remove the date filter and choose the dates again.',
    cursor: 'The row before or after this page was deleted, or the link is invalid. Go to the first page.',
    other: 'This link has an unknown filter or an invalid value. Go to the first page and filter again.',
  },
  firstPage: 'Go to first page',
} as const
