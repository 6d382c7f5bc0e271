/** The columns of a resource's table. They are plain data, so that they can be passed to client components. */

export type ColumnKind = 'code' | 'date' | 'email' | 'money' | 'number' | 'page' | 'percent' | 'status' | 'text'

export type Column = {
  /** The path of a member, such as `billing.name`. */
  key: string
  label: string
  kind: ColumnKind
  /** Whether the column is hidden by default. */
  hidden?: true
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
