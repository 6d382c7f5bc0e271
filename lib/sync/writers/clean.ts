/** Prepares parsed JSON for storage: removes null members, and rejects what PostgreSQL or JSON readers cannot represent. */

/** A value that cannot be stored, with its path in the record (`billing.address.city`). */
export class InvalidValueError extends Error {
  constructor(
    readonly path: string,
    readonly reason: string,
  ) {
    super(reason)
  }
}

/** The deepest record of the spec has five levels. */
const MAX_DEPTH = 16

const checkText = (text: string, path: string) => {
  if (text.includes('\u0000')) throw new InvalidValueError(path, 'must not contain the character NUL')
  if (!text.isWellFormed()) throw new InvalidValueError(path, 'must be well-formed Unicode: it contains half of a surrogate pair')
}

/** Text without any of these needs no cleaning, which is true of most records. */
const SUSPECT = /\\u(?:0000|00[57][fF0-9a-eA-E]|[dD][89a-fA-F])|null|__proto__/

/** Parses a JSON text and cleans its value. Throws what `clean` and `JSON.parse` throw. */
export function parseClean(text: string): unknown {
  const value: unknown = JSON.parse(text)
  return SUSPECT.test(text) ? clean(value) : value
}

// Spec silent: a member without a value. It is left out, and so is null.
/**
 * Returns a copy without null members.
 *
 * @throws {InvalidValueError} on NUL, ill-formed Unicode, a member named `__proto__`, or more than 16 levels
 */
export function clean(value: unknown, path = '', depth = 0): unknown {
  if (typeof value === 'string') {
    checkText(value, path)
    return value
  }
  if (typeof value !== 'object' || value === null) return value
  if (depth === MAX_DEPTH) throw new InvalidValueError(path, `must not be nested deeper than ${MAX_DEPTH} levels`)
  if (Array.isArray(value)) return value.map((item, index) => clean(item, `${path}[${index}]`, depth + 1))

  const copy: Record<string, unknown> = {}
  for (const [name, item] of Object.entries(value)) {
    if (item === null) continue
    const itemPath = path ? `${path}.${name}` : name
    checkText(name, itemPath)
    if (name === '__proto__') throw new InvalidValueError(itemPath, 'must not be named __proto__')
    copy[name] = clean(item, itemPath, depth + 1)
  }
  return copy
}
