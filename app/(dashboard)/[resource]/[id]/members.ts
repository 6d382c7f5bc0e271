/** The scalar members of a record. Each can be taken only once, so that the page shows every member exactly once. */

export type Scalar = string | number | boolean
export type Member = {
  /** A path such as `billing.address.city` or `fees[0].amount`. */
  path: string
  value: Scalar
}

export type Members = {
  /** Returns a value without taking it, or undefined if it is absent or already taken. */
  at(path: string): Scalar | undefined
  /** Takes a member. Returns undefined if it is absent or already taken. */
  take(path: string): Member | undefined
  /** Takes the remaining members at and below a path, in the record's order. An empty path takes all of them. */
  takeUnder(path: string): Member[]
  /** Returns the length of a list, whether or not its items have been taken; 0 if there is no list at the path. */
  count(path: string): number
}

const isScalar = (value: unknown): value is Scalar => ['string', 'number', 'boolean'].includes(typeof value)

/** Returns every scalar inside a value with its path, except empty strings. */
export function listScalars(value: unknown, path = ''): Member[] {
  if (isScalar(value)) return value === '' ? [] : [{ path, value }]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) =>
    listScalars(inner, Array.isArray(value) ? `${path}[${name}]` : path ? `${path}.${name}` : name),
  )
}

/** Returns the members of a record. None of them has been taken yet. */
export function readMembers(record: Record<string, unknown>): Members {
  const remaining = new Map(listScalars(record).map((member) => [member.path, member]))
  const take = (path: string) => {
    const member = remaining.get(path)
    remaining.delete(path)
    return member
  }
  return {
    at: (path) => remaining.get(path)?.value,
    take,
    takeUnder: (path) =>
      [...remaining.keys()]
        .filter((key) => path === '' || key === path || key.startsWith(`${path}.`) || key.startsWith(`${path}[`))
        .flatMap((key) => take(key) ?? []),
    count: (path) => {
      const list = path
        .split(/[.[\]]+/)
        .filter(Boolean)
        .reduce<unknown>((value, name) => (typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined), record)
      return Array.isArray(list) ? list.length : 0
    },
  }
}
