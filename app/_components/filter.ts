/** The filters of a list, as plain data for the toolbar. */
import type { Changes } from './with-params'

export type Choice = { value: string; label: string }

type Kind =
  /**
   * Any of several values, comma-separated in the URL, or a single value. With `source`, the values are loaded when the filter is opened, and
   * `choices` contains only applied values.
   */
  | { kind: 'choice'; name: string; isSingle?: true; choices?: Choice[]; source?: 'methods' | 'types' }
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

/** A filter with a description of the applied values, if it is applied. */
export type DescribedFilter = Filter & { description: string | undefined }

const AMOUNT_NAMES = ['amount[gte]', 'amount[lte]', 'currency']

/** Returns the names of a filter's query parameters. */
export function listParameterNames(filter: Filter): string[] {
  if (filter.kind === 'date') return [filter.period, ...Object.keys(filter.bounds)]
  return filter.kind === 'amount' ? AMOUNT_NAMES : [filter.name]
}

export type ChipProps = {
  filter: DescribedFilter
  path: string
  params: URLSearchParams
  /** Opens the list with changed parameters. */
  go: (changes: Changes) => void
}

/** Returns whether a bound is a valid day such as `2026-03-01`. As in the API, a bound may also be a time. */
export const isDay = (text: string) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text))
