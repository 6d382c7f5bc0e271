/** The filters of a list, as plain data for the toolbar, and the text that describes the applied values. */
import { formatDay, formatDays } from '@/app/copy/format'
import { controlsCopy as copy } from '@/app/copy/table-controls'
import { splitValues } from '@/lib/catalog/value-list'
import { NO_CURRENCY } from '@/lib/core/no-currency'
import type { Changes } from './with-params'

export type Choice = { value: string; label: string }

type Kind =
  /** Any of several values, comma-separated in the URL, or a single value. Without `choices`, the values are loaded from `source`. */
  | { kind: 'several'; name: string; isSingle?: true; choices?: Choice[]; source?: 'methods' | 'types' }
  /** A period or a range of days. `period`, `from` and `to` are parameter names; `bounds` has the label of each bound's parameter. */
  | {
      kind: 'date'
      period: string
      from: string
      to: string
      presets: (Choice & { from: string; to: string })[]
      bounds: Record<string, string>
    }
  /** A range of amounts, and a currency. */
  | { kind: 'amount' }

export type Filter = { label: string } & Kind

const AMOUNT_NAMES = ['amount[gte]', 'amount[lte]', 'currency']

/** Returns the names of a filter's query parameters. */
export function listParameterNames(filter: Filter): string[] {
  if (filter.kind === 'date') return [filter.period, ...Object.keys(filter.bounds)]
  return filter.kind === 'amount' ? AMOUNT_NAMES : [filter.name]
}

export type ChipProps = {
  filter: Filter
  path: string
  params: URLSearchParams
  /** Opens the list with changed parameters. */
  go: (changes: Changes) => void
}

/** Returns whether a bound is a valid day such as `2026-03-01`. As in the API, it may also be a time. */
export const isDay = (text: string) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text))

/**
 * Formats an amount typed in major units, such as `1000` as `€1,000.00`. Never rounds it. Does not use `formatMoney`, which would make the
 * page load the decimals of all currencies.
 */
function formatTypedAmount(amount: string, currency: string): string {
  if (!Number.isFinite(Number(amount))) return amount
  const style = /^[A-Z]{3}$/.test(currency) ? ({ style: 'currency', currency, currencyDisplay: 'narrowSymbol' } as const) : {}
  return Number(amount).toLocaleString('en', { ...style, maximumFractionDigits: 6 })
}

/** Returns a description of the applied values, such as "Failed, Unpaid", or undefined if the filter is not applied. */
export function describeFilter(filter: Filter, query: URLSearchParams): string | undefined {
  const getValue = (name: string) => query.get(name) ?? ''
  if (filter.kind === 'date') {
    const preset = filter.presets.find(({ value }) => value === getValue(filter.period))
    if (preset) return preset.label
    const bounds = Object.entries(filter.bounds).filter(([name]) => getValue(name) !== '')
    const [from, to] = [getValue(filter.from), getValue(filter.to)]
    if (isDay(from) && isDay(to) && from <= to && bounds.length === 2) return formatDays(from, to)
    const format = (text: string) => (isDay(text) ? formatDay(text) : text)
    return bounds.map(([name, label]) => `${label} ${format(getValue(name))}`).join(' · ') || undefined
  }
  if (filter.kind === 'amount') {
    const currency = getValue('currency').toUpperCase()
    const [min, max] = ['amount[gte]', 'amount[lte]'].map((name) => getValue(name) && formatTypedAmount(getValue(name), currency))
    const range = min && max ? `${min} – ${max}` : min ? `${copy.least} ${min}` : max ? `${copy.most} ${max}` : ''
    // The formatted amounts contain the currency.
    const code = currency === NO_CURRENCY ? copy.noCurrency : range ? '' : currency
    return [range, code].filter(Boolean).join(' ') || undefined
  }
  const values = splitValues(getValue(filter.name)).filter(Boolean)
  if (values.length === 0) return undefined
  if (values.length > 2) return `${values.length} ${copy.selected}`
  return values.map((value) => filter.choices?.find((choice) => choice.value === value)?.label ?? value).join(', ')
}
