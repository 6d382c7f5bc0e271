/** The widths of table columns, and the columns hidden on tablets and in windows narrower than 1280 px. */
import type { Column } from '@/lib/catalog/columns'

/** The kinds of columns shown only in wider windows. */
const WIDE_ONLY: readonly Column['kind'][] = ['code', 'email', 'page']

type Width = {
  className: string
  /** The width on tablets. */
  rem: number
}

/** Fixed widths on larger screens, so that columns do not move when a filter changes. The other columns share the rest. */
const WIDTHS: Partial<Record<Column['kind'], Width>> = {
  code: { className: 'w-36', rem: 9 },
  money: { className: 'w-24 xl:w-32', rem: 6 },
  number: { className: 'w-20', rem: 5 },
  percent: { className: 'w-24 xl:w-28', rem: 6 },
  status: { className: 'w-32', rem: 8 },
  date: { className: 'w-40 xl:w-44', rem: 10 },
}

/** The widths of columns with longer text than is usual for their kind: "Not checked in", and a coupon's code with its mark. */
const KEY_WIDTHS: Partial<Record<string, Width>> = {
  checkInStatus: { className: 'w-36', rem: 9 },
  code: { className: 'w-44 xl:w-48', rem: 11 },
}

/** Returns a column's width, or undefined if the column shares the remaining space. */
export const getColumnWidth = ({ key, kind }: Column): Width | undefined => KEY_WIDTHS[key] ?? WIDTHS[kind]

/** The minimum readable width of other columns, in rem. */
const MIN_TEXT_WIDTH = 6
/** The width of the table without the checkboxes, in rem, in a window 768 px wide. */
const AVAILABLE_WIDTH = 42

/**
 * Returns the keys of the visible columns to hide on tablets: codes, email addresses and pages, and as many others as needed to keep the
 * rest readable. Columns that are also hidden on phones are removed first. The first column is always shown.
 */
export function selectWideOnly(columns: readonly Column[]): Set<string> {
  const [first] = columns
  const measure = (column: Column) => getColumnWidth(column)?.rem ?? MIN_TEXT_WIDTH
  const isWideOnly = (column: Column) => column !== first && WIDE_ONLY.includes(column.kind)
  const others = columns.filter((column) => column !== first && !isWideOnly(column))
  const selected = new Set(columns.filter(isWideOnly).map(({ key }) => key))
  let width = others.reduce((sum, column) => sum + measure(column), first ? measure(first) : 0)
  for (const column of [...others.filter(({ phone }) => !phone), ...others.filter(({ phone }) => phone === 'note')]) {
    if (width <= AVAILABLE_WIDTH) break
    selected.add(column.key)
    width -= measure(column)
  }
  return selected
}
