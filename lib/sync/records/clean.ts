/** Makes parsed JSON fit to be stored: members without a value go, and what PostgreSQL or JSON's readers can't hold is refused. */

/** Why a value can't be stored, and where in the record it stands (`billing.address.city`). */
export class Unfit extends Error {
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
  if (text.includes('\u0000')) throw new Unfit(path, 'must not contain the character NUL')
  if (!text.isWellFormed()) throw new Unfit(path, 'must be well-formed Unicode: it has half of a surrogate pair')
}

/** What `clean` looks for can only come from text that has one of these; most records have none. */
const SUSPECT = /\\u(?:0000|00[57][fF0-9a-eA-E]|[dD][89a-fA-F])|null|__proto__/

/** @returns the value of a JSON text, fit to be stored. Throws as `clean` and `JSON.parse` do. */
export function parseClean(text: string): unknown {
  const value: unknown = JSON.parse(text)
  return SUSPECT.test(text) ? clean(value) : value
}

// Spec silent: a member that has no value. It is left out, and null with it.
/**
 * @returns a copy without the members whose value is null
 * @throws {Unfit} on NUL, ill-formed Unicode, a member named `__proto__`, or more than 16 levels
 */
export function clean(value: unknown, path = '', depth = 0): unknown {
  if (typeof value === 'string') {
    checkText(value, path)
    return value
  }
  if (typeof value !== 'object' || value === null) return value
  if (depth === MAX_DEPTH) throw new Unfit(path, `must not be nested deeper than ${MAX_DEPTH} levels`)
  if (Array.isArray(value)) return value.map((item, index) => clean(item, `${path}[${index}]`, depth + 1))

  const copy: Record<string, unknown> = {}
  for (const [name, item] of Object.entries(value)) {
    if (item === null) continue
    const itemPath = path ? `${path}.${name}` : name
    checkText(name, itemPath)
    if (name === '__proto__') throw new Unfit(itemPath, 'must not be named __proto__')
    copy[name] = clean(item, itemPath, depth + 1)
  }
  return copy
}
