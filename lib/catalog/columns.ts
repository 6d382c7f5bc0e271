/** Describes the columns of a table in the dashboard. They are plain data, so that they can be passed to client components. */

/** The sort keys that a table can have in addition to the date. They require the database columns `amount`, `names` and `uses`. */
export const SORT_KEYS = ['amount', 'customer', 'uses'] as const
export type SortKey = 'createdAt' | (typeof SORT_KEYS)[number]

type ColumnKind = 'code' | 'customer' | 'date' | 'email' | 'money' | 'number' | 'page' | 'percent' | 'status' | 'text'

export type Column = {
  /** The path of a member, such as `billing.name`. */
  key: string
  label: string
  kind: ColumnKind
  /** True if the column is hidden by default. */
  hidden?: true
  /** Whether the column is shown by default if the table is filtered by a certain status. Overrides `hidden`. */
  shownFor?: { status: string; isShown: boolean }
  /** The key that the column's header sorts by. */
  sort?: SortKey
  /** The column's position in a two-line row on phones: start or end of the first or second line. Other columns are hidden on phones. */
  phone?: 'title' | 'side' | 'note' | 'mark'
}

/** Returns the member at a path, or undefined if it is absent. */
export function memberAt(record: Record<string, unknown>, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (value, name) => (typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined),
      record,
    )
}
