/** The columns of a resource's table. They are plain data, so that they can be passed to client components. */

/** What a table can be sorted by, in addition to the date. */
export const SORT_KEYS = ['amount', 'customer', 'uses'] as const
export type SortKey = 'createdAt' | (typeof SORT_KEYS)[number]

export type ColumnKind = 'code' | 'customer' | 'date' | 'email' | 'money' | 'number' | 'page' | 'percent' | 'status' | 'text'

export type Column = {
  /** The path of a member, such as `billing.name`. */
  key: string
  label: string
  kind: ColumnKind
  /** Whether the column is hidden by default. */
  hidden?: true
  /** Whether the column is shown by default if the table is filtered by a status. */
  shownFor?: { status: string; isShown: boolean }
  /** What the table is sorted by if the column's header is chosen. */
  sort?: SortKey
  /** The place of the column in a row of two lines on a phone: the start or the end of the first or the second line. Others are hidden there. */
  phone?: 'title' | 'side' | 'note' | 'mark'
}

/** Returns a member by its path, or undefined if it is absent. */
export function memberAt(record: Record<string, unknown>, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (value, name) => (typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined),
      record,
    )
}
