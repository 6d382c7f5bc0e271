/** How a resource's records are shown in a table: data, so that it can cross to the browser. */

export type ColumnKind = 'code' | 'date' | 'email' | 'money' | 'number' | 'page' | 'percent' | 'status' | 'text'

export type Column = {
  /** A member of the record, or a member of one (`billing.name`). */
  key: string
  label: string
  kind: ColumnKind
  /** Left out until it is asked for. */
  hidden?: true
}

/** A member by its path; undefined where it is not there. */
export function memberAt(record: Record<string, unknown>, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (value, name) => (typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined),
      record,
    )
}
