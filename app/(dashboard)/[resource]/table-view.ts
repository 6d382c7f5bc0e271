/** Derives the parts of a table's page from its resource and query: filters, tabs, and sort links. */
import { statusLabel } from '@/app/_components/cells'
import type { Choice, Filter } from '@/app/_components/filter'
import type { HeaderSort } from '@/app/_components/records-table'
import type { Tab } from '@/app/_components/status-tabs'
import { changeParams, linkTo } from '@/app/_components/with-params'
import { formatCount } from '@/app/copy/format'
import { listCopy } from '@/app/copy/list'
import type { NamedPage } from '@/lib/accounts/checkout-pages'
import type { Column, SortKey } from '@/lib/catalog/columns'
import type { Resource } from '@/lib/catalog/resource'
import { getPeriodDays, PERIODS, type Period } from '@/lib/catalog/table-params'
import { tickets } from '@/lib/catalog/ticket'
import { dayIn } from '@/lib/core/time'
import type { CountedFilters } from '@/lib/listing/list-tickets'
import type { TableQuery } from '@/lib/listing/table-query'
import { TICKET_TABS, type TicketTab } from '@/lib/listing/ticket-table'

const toPageChoices = (pages: readonly NamedPage[]) => pages.map(({ id, name }) => ({ value: id, label: name }))

const listPresets = (timeZone: string) => {
  const today = dayIn(timeZone, new Date())
  return PERIODS.map((value) => ({ value, label: listCopy.periods[value], ...getPeriodDays(value, today) }))
}

/** Returns the filter for the creation date. */
export const makeDateFilter = (timeZone: string): Filter => ({
  kind: 'date',
  label: listCopy.date,
  presets: listPresets(timeZone),
  bounds: listCopy.bounds,
  period: 'period',
  from: 'created[gte]',
  to: 'created[lte]',
})

/** Returns the filters of the tickets table. @param types the ticket types that the table is filtered by */
export function makeTicketFilters(pages: readonly NamedPage[], types: Choice[], timeZone: string): Filter[] {
  const { status, checkInStatus } = tickets.record.shape
  const toChoices = (values: readonly string[]) => values.map((value) => ({ value, label: statusLabel(value) }))
  return [
    { kind: 'choice', name: 'pageId', label: listCopy.page, choices: toPageChoices(pages) },
    { kind: 'choice', name: 'ticketTypeId', label: listCopy.type, source: 'types', choices: types },
    { kind: 'choice', name: 'status', label: listCopy.status, choices: toChoices(status.options) },
    { kind: 'choice', name: 'checkInStatus', label: listCopy.checkIn, choices: toChoices(checkInStatus.options) },
    {
      kind: 'date',
      label: listCopy.checkedIn,
      presets: listPresets(timeZone),
      period: 'checkedIn',
      from: 'checkedIn[gte]',
      to: 'checkedIn[lte]',
      bounds: { 'checkedIn[gte]': listCopy.checkedInFrom, 'checkedIn[lte]': listCopy.checkedInTo },
    },
    makeDateFilter(timeZone),
  ]
}

/** Returns the filters of a resource's table. */
export function makeFilters(
  { filters: { status, pageId }, table, record: { shape } }: Resource,
  pages: readonly NamedPage[],
  timeZone: string,
): Filter[] {
  const filters: Filter[] = []
  if (status) {
    const choices = status.map((value) => ({ value, label: statusLabel(value) }))
    filters.push({ kind: 'choice', name: 'status', label: listCopy.status, choices })
  }
  if (pageId) filters.push({ kind: 'choice', name: 'pageId', label: listCopy.page, choices: toPageChoices(pages) })
  filters.push(makeDateFilter(timeZone))
  if ('amount' in table) filters.push({ kind: 'amount', label: listCopy.amount })
  if ('paymentMethod' in shape) filters.push({ kind: 'choice', name: 'method', label: listCopy.method, source: 'methods' })
  if ('livemode' in shape) {
    const choices = [
      { value: 'true', label: listCopy.live },
      { value: 'false', label: listCopy.testMode },
    ]
    filters.push({ kind: 'choice', name: 'livemode', label: listCopy.mode, choices })
  }
  return filters
}

/**
 * Returns the tabs of a table, or undefined if it has none. The last tab combines the statuses without their own tab. Its count includes
 * records without a status, so that the counts add up.
 *
 * @param counts the number of records by status, or undefined if they are not known yet
 */
export function makeTabs(
  { filters: { tabs, status: statuses = [] } }: Resource,
  path: string,
  query: URLSearchParams,
  counts: Record<string, number> | undefined,
): Tab[] | undefined {
  if (!tabs) return undefined
  const current = query.get('status') ?? ''
  const rest = statuses.filter((status) => !tabs.includes(status))
  const makeTab = (label: string, shownStatuses: readonly string[], countedStatuses = shownStatuses): Tab => ({
    label,
    ...linkTo(path, query, { status: shownStatuses.join() }),
    isCurrent: current === shownStatuses.join(),
    count: counts ? formatCount(countedStatuses.reduce((sum, status) => sum + (counts[status] ?? 0), 0)) : '',
  })
  return [
    makeTab(listCopy.all, [], Object.keys(counts ?? {})),
    ...tabs.map((status) => makeTab(statusLabel(status), [status])),
    ...(rest.length > 0 ? [makeTab(listCopy.otherStatuses, rest, [...rest, ''])] : []),
  ]
}

/** Returns the tabs of the tickets table. `counts` is undefined if the counts are not known yet. */
export function makeTicketTabs(path: string, query: URLSearchParams, counts: Record<TicketTab, number> | undefined): Tab[] {
  return (Object.keys(TICKET_TABS) as TicketTab[]).map((tab) => {
    const { statuses, checkInStatuses }: Partial<CountedFilters> = TICKET_TABS[tab]
    const params = { status: statuses?.join(), checkInStatus: checkInStatuses?.join() }
    return {
      label: listCopy.ticketTabs[tab],
      ...linkTo(path, query, params),
      isCurrent: Object.entries(params).every(([name, value]) => (query.get(name) ?? '') === (value ?? '')),
      count: counts ? formatCount(counts[tab]) : '',
    }
  })
}

/** The periods linked next to the tabs. */
const QUICK_PERIODS: readonly Period[] = ['today', '7d', 'this_month', 'last_month']

/** Returns tabs that filter by a period. The tab of the current period removes the filter. */
export const makePeriodTabs = (path: string, query: URLSearchParams): Tab[] =>
  QUICK_PERIODS.map((period) => {
    const isCurrent = query.get('period') === period
    const noDates = { 'created[gte]': undefined, 'created[gt]': undefined, 'created[lte]': undefined, 'created[lt]': undefined }
    return {
      label: listCopy.periods[period],
      ...linkTo(path, query, { ...noDates, period: isCurrent ? undefined : period }),
      isCurrent,
    }
  })

export type TableSort = Pick<TableQuery, 'sort' | 'isAscending' | 'currency'>

/**
 * Returns the link that sorts a table by a key, or undefined for amounts if there is no currency to sort them in.
 *
 * @param currency the currency to sort amounts in, if the view is not filtered by one
 */
function makeSortOption(
  key: SortKey,
  isAscending: boolean,
  path: string,
  query: URLSearchParams,
  table: TableSort,
  currency: string | undefined,
) {
  if (key === 'amount' && !table.currency && !currency) return undefined
  const sort = key === 'createdAt' ? (isAscending ? key : undefined) : isAscending ? key : `-${key}`
  const base = key === 'amount' && currency ? changeParams(query, { currency: query.get('currency') ?? currency }) : query
  return {
    link: linkTo(path, base, { sort }),
    label: listCopy.sortBy[key][isAscending ? 0 : 1],
    isCurrent: table.sort === key && table.isAscending === isAscending,
  }
}

/** Returns the sort link in a column's header, or undefined if the table cannot be sorted by the column. */
export function getHeaderSort(
  { sort: key }: Column,
  path: string,
  query: URLSearchParams,
  table: TableSort,
  currency: string | undefined,
): HeaderSort | undefined {
  if (!key) return undefined
  const isCurrent = table.sort === key
  // The first click sorts names from A to Z, and dates, amounts and uses with the newest or largest first.
  const option = makeSortOption(key, isCurrent ? !table.isAscending : key === 'customer', path, query, table, currency)
  return option && { ...option, direction: isCurrent ? (table.isAscending ? 'ascending' : 'descending') : undefined }
}

/** Returns the sort options of all columns, for the sort menu. `currency` is the same as in `makeSortOption`. */
export const listSorts = (
  columns: readonly Column[],
  path: string,
  query: URLSearchParams,
  table: TableSort,
  currency: string | undefined,
): NonNullable<ReturnType<typeof makeSortOption>>[] =>
  columns.flatMap(({ sort: key }) =>
    key
      ? [key === 'customer', key !== 'customer'].flatMap(
          (isAscending) => makeSortOption(key, isAscending, path, query, table, currency) ?? [],
        )
      : [],
  )
