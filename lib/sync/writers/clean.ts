/** Prepares parsed JSON for storage: removes null members, and rejects values that PostgreSQL or JSON parsers cannot represent. */

/** Thrown if a value cannot be stored. Contains the path in the record (`billing.address.city`). */
export class InvalidValueError extends Error {
  constructor(
    readonly path: string,
    readonly reason: string,
  ) {
    super(reason)
  }
}

/** The maximum nesting depth. The deepest record in the spec has five levels. */
const MAX_DEPTH = 16

const checkText = (text: string, path: string) => {
  if (text.includes('\u0000')) throw new InvalidValueError(path, 'must not contain the character NUL')
  if (!text.isWellFormed()) throw new InvalidValueError(path, 'must be well-formed Unicode: it contains half of a surrogate pair')
}

/** Matches text that might need cleaning. Most records do not. */
const SUSPECT = /\\u(?:0000|00[57][fF0-9a-eA-E]|[dD][89a-fA-F])|null|__proto__/

/** Parses a JSON string and cleans its value. Throws the errors of `clean` and `JSON.parse`. */
export function parseClean(text: string): unknown {
  const value: unknown = JSON.parse(text)
  return SUSPECT.test(text) ? clean(value) : value
}

// Spec silent: members without a value. They are omitted, and so are members that are null.
/**
 * Returns a copy without null members.
 *
 * @throws {InvalidValueError} for NUL, malformed Unicode, a member named `__proto__`, or more than 16 levels
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
