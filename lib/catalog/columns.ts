/** The columns of a resource's table. They are plain data, so that they can be passed to client components. */

/** The sort keys of a table in addition to the date. Each requires a column in the database: `amount`, `names` or `uses`. */
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
  /** The sort key of the column's header. */
  sort?: SortKey
  /** The position of the column in a two-line row on a phone: the start or end of the first or second line. Other columns are hidden there. */
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
