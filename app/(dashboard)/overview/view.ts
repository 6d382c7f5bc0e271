/** The state of the overview, stored in its URL: the period, the comparison, the currency, and whether the table is shown. */
import { z } from 'zod'
import type { QueryLink } from '@/app/_components/with-params'
import type { SearchParams } from '@/app/load-list'
import { SOLD_STATUSES } from '@/lib/catalog/order'
import type { Period as TablePeriod } from '@/lib/catalog/table-params'
import { NO_CURRENCY } from '@/lib/core/no-currency'
import { MAX_DAYS, type Period } from '@/lib/reports/date-range'

/** The lengths of the preset periods that end today, in days. */
export const PRESET_DAYS = [1, 7, 30, 90, 365] as const
export const DEFAULT_DAYS = 30
const DAY_MS = 86_400_000

export type View = {
  period: Period
  /** Whether the previous period is shown. */
  isCompared: boolean
  /** In uppercase. Undefined for the currency with the most orders, `-` for orders without a currency. */
  currency: string | undefined
  /** Whether the chart's data is also shown as a table. */
  isTable: boolean
}

/** The earliest day that can be chosen. The comparison needs earlier days, and PostgreSQL has no year 0. */
const FIRST_DAY = '2000-01-01'
const isDay = (text: string) => z.iso.date().safeParse(text).success && text >= FIRST_DAY

/** Parses the period. The days of a custom period may be in either order. If it is too long, its first days are dropped. */
function parsePeriod(get: (name: string) => string): Period {
  const [from, to, days, month] = [get('from'), get('to'), Number(get('days')), get('month')]
  if (isDay(from) && isDay(to)) {
    const [first = '', last = ''] = [from, to].sort()
    const earliest = new Date(Date.parse(last) - (MAX_DAYS - 1) * DAY_MS).toISOString().slice(0, 10)
    return { from: first > earliest ? first : earliest, to: last }
  }
  if (month === 'this' || month === 'last') return `${month}-month`
  return PRESET_DAYS.find((preset) => preset === days) ?? DEFAULT_DAYS
}

/** Parses the page's query. Uses the defaults for missing and invalid parameters. */
export function parseView(params: SearchParams): View {
  const get = (name: string) => String([params[name]].flat()[0] ?? '')
  return {
    period: parsePeriod(get),
    isCompared: get('compare') !== 'off',
    currency: get('currency').slice(0, 64).toUpperCase() || undefined,
    isTable: get('table') !== '',
  }
}

function periodParams(period: Period): Record<string, string> {
  if (typeof period === 'object') return period
  if (typeof period === 'number') return period === DEFAULT_DAYS ? {} : { days: String(period) }
  return { month: period === 'this-month' ? 'this' : 'last' }
}

/** Returns a view's query parameters, omitting default values. */
export const viewParams = ({ period, isCompared, currency, isTable }: View): Record<string, string> => ({
  ...periodParams(period),
  ...(isCompared ? {} : { compare: 'off' }),
  ...(currency ? { currency } : {}),
  ...(isTable ? { table: 'on' } : {}),
})

/** Returns the URL of a view after the given changes. */
export function viewHref(view: View, changes: Partial<View> = {}): string {
  const query = new URLSearchParams(viewParams({ ...view, ...changes })).toString()
  return query ? `/overview?${query}` : '/overview'
}

/** The names of the query parameters for each property of a view, separated by spaces. */
export const PARAM_NAMES: Record<keyof View, string> = {
  period: 'from to days month',
  isCompared: 'compare',
  currency: 'currency',
  isTable: 'table',
}

/** Returns the props of a link to a view after the given changes. A click also preserves changes that are still loading. */
export const viewLink = (view: View, changes: Partial<View>): QueryLink => ({
  href: viewHref(view, changes),
  'data-params': (Object.keys(changes) as (keyof View)[]).map((name) => PARAM_NAMES[name]).join(' '),
})

/**
 * Returns the URL of a list of the orders in a date range that count as sales: live orders that are paid, partially paid or partially
 * refunded.
 *
 * @param list `payments` or `bookings`
 * @param first the first day, as `YYYY-MM-DD`
 * @param last the last day, which is the same as `first` for a single day
 * @param currency undefined for all currencies, `-` for orders without a currency
 */
export const daysHref = (list: string, first: string, last: string, currency?: string): string =>
  `/${list}?${new URLSearchParams({ 'created[gte]': first, 'created[lte]': last, status: SOLD_STATUSES.join(), livemode: 'true', ...(currency ? { currency } : {}) })}`

/** Returns the URL of the list of scans refused on a day (`YYYY-MM-DD`), at one event (or `NO_EVENT`) or at all events. */
export const refusedHref = (date: string, pageId?: string): string =>
  `/tickets/refused?${new URLSearchParams({ date, ...(pageId ? { pageId } : {}) })}`

/** The table periods that correspond to periods of the overview. */
const TABLE_PERIODS: Partial<Record<string, TablePeriod>> = {
  '1': 'today',
  '7': '7d',
  '30': '30d',
  'this-month': 'this_month',
  'last-month': 'last_month',
}

/** Returns the URL of a list of a period's failed live orders. `first` and `last` are the period's first and last days, as `YYYY-MM-DD`. */
export function failedHref(list: 'payments' | 'bookings', period: Period, first: string, last: string): string {
  const tablePeriod = TABLE_PERIODS[String(period)]
  const days: Record<string, string> = tablePeriod ? { period: tablePeriod } : { 'created[gte]': first, 'created[lte]': last }
  return `/${list}?${new URLSearchParams({ ...days, status: 'failed', livemode: 'true' })}`
}

/** Returns whether the user has chosen this currency. */
export const isSelectedCurrency = (currency: string | undefined, view: Pick<View, 'currency'>): boolean =>
  view.currency === (currency ?? NO_CURRENCY)

type WithCurrency = { currency: string | undefined }

/**
 * Returns the currency of today's metrics: the chosen one if it has sales, otherwise the one with the most orders today, otherwise the one
 * with the most orders in the period.
 *
 * @param today today's sales, the currency with the most orders first
 * @param sales the fallback currencies: those of the period's sales in the same order or, if there are none, of the subscriptions
 */
export function chooseTodayCurrency(today: WithCurrency[], sales: WithCurrency[], view: Pick<View, 'currency'>): string | undefined {
  const chosen = [...today, ...sales].find(({ currency }) => isSelectedCurrency(currency, view))
  return (chosen ?? today[0] ?? sales[0])?.currency
}
