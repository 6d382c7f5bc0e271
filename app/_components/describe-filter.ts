/** Describes the applied values of filters. Runs on the server, so that the browser does not load this code. */
import { filterPopoverCopy as copy } from '@/app/copy/filter-popover'
import { formatDay, formatDays } from '@/app/copy/format'
import { splitValues } from '@/lib/catalog/value-list'
import { NO_CURRENCY } from '@/lib/core/no-currency'
import { type DescribedFilter, type Filter, isDay } from './filter'

/**
 * Formats an amount typed in major units: for example, `1000` becomes `€1,000.00`. Never rounds it, unlike `formatMoney`, which takes minor
 * units.
 */
function formatTypedAmount(amount: string, currency: string): string {
  if (!Number.isFinite(Number(amount))) return amount
  const style = /^[A-Z]{3}$/.test(currency) ? ({ style: 'currency', currency } as const) : {}
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

/** Adds a description of the applied values to each filter. */
export const describeFilters = (filters: Filter[], query: URLSearchParams): DescribedFilter[] =>
  filters.map((filter) => ({ ...filter, description: describeFilter(filter, query) }))
