/** Selects the columns that tablets and windows narrower than 1280 px do not show. */
import type { Column } from '@/lib/catalog/columns'

/** The kinds of columns that only wider windows show. */
const WIDE_ONLY: readonly Column['kind'][] = ['code', 'email', 'page']

/** The widths of columns on tablets in rem, as in `records-table.tsx`. */
const WIDTHS: Partial<Record<Column['kind'], number>> = { code: 9, money: 6, number: 5, percent: 6, status: 8, date: 10 }
const KEY_WIDTHS: Partial<Record<string, number>> = { checkInStatus: 9, code: 11 }
/** The minimum readable width of other columns, in rem. */
const TEXT_WIDTH = 6
/** The width of the table in a window of 768 pixels, without the checkboxes, in rem. */
const ROOM = 42

/**
 * Returns the keys of a table's visible columns that tablets do not show: codes, email addresses and pages, and as many others as needed
 * for the rest to be readable. Columns that phones also hide are removed first. The first column is always shown.
 */
export function selectWideOnly(columns: readonly Column[]): Set<string> {
  const [first] = columns
  const measure = ({ key, kind }: Column) => KEY_WIDTHS[key] ?? WIDTHS[kind] ?? TEXT_WIDTH
  const isWideOnly = (column: Column) => column !== first && WIDE_ONLY.includes(column.kind)
  const others = columns.filter((column) => column !== first && !isWideOnly(column))
  const selected = new Set(columns.filter(isWideOnly).map(({ key }) => key))
  let width = others.reduce((sum, column) => sum + measure(column), first ? measure(first) : 0)
  for (const column of [...others.filter(({ phone }) => !phone), ...others.filter(({ phone }) => phone === 'note')]) {
    if (width <= ROOM) break
    selected.add(column.key)
    width -= measure(column)
  }
  return selected
}
