/** Prepares JSON for storage: removes null members, and rejects values that PostgreSQL or JSON parsers cannot represent. */

/** Thrown if a value cannot be stored. Contains its path in the record, such as `billing.address.city`; empty for the record itself. */
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

/** The prefix of strings that replace numbers that would be rounded. No valid string has it, because valid strings contain no NUL. */
const ROUNDED = '\u0000number '

const checkText = (text: string, path: string) => {
  if (text.startsWith(ROUNDED))
    throw new InvalidValueError(path, `must not be ${text.slice(ROUNDED.length, 60)}, which would be rounded: use at most 15 digits`)
  if (text.includes('\u0000')) throw new InvalidValueError(path, 'must not contain the character NUL')
  if (!text.isWellFormed()) throw new InvalidValueError(path, 'must be well-formed Unicode: it contains half of a surrogate pair')
}

/** Matches JSON that might need cleaning. The JSON of most records does not match. */
const MAY_NEED_CLEANING = /\\u(?:0000|00[567][fF0-9a-eA-E]|[dD][89a-fA-F])|null|__proto__/

/** Matches a number of at least 16 digits (including the decimal point), or with an exponent. `isRounded` is false for all others. */
const LONG_NUMBER = /[:[,]\s*-?\d(?:[\d.]{15}|[\d.]*[eE])/
/**
 * Matches strings, which may contain digits, and numbers. Also matches an unclosed string, which would otherwise be scanned again from each
 * quote.
 */
const STRING_OR_NUMBER = /"[^"\\]*(?:\\[\s\S][^"\\]*)*(?:"|\\?$)|-?\d[\d.]*(?:[eE][+-]?\d+)?/g
/** Captures the whole part, the fraction and the exponent of a number. */
const NUMBER = /^(-?\d+)\.?(\d*)(?:[eE]([+-]?\d+))?$/

/** Returns whether JSON.parse might round a number to a different whole number. Rounding the last digits of a fraction is acceptable. */
function isRounded(token: string): boolean {
  const value = Number(token)
  if (!Number.isInteger(value)) return false
  if (!Number.isSafeInteger(value)) return true
  const [, whole = '', fraction = '', exponent = '0'] = NUMBER.exec(token) ?? []
  const scale = Number(exponent) - fraction.length
  // A number this long is not an amount, and would be costly to compare.
  if (token.length > 400 || Math.abs(scale) > 400) return true
  const digits = BigInt(whole + fraction)
  return scale < 0 ? digits !== BigInt(value) * 10n ** BigInt(-scale) : digits * 10n ** BigInt(scale) !== BigInt(value)
}

/** Replaces numbers that would be rounded with strings that `clean` rejects. */
const markRounded = (text: string) =>
  LONG_NUMBER.test(text)
    ? text.replace(STRING_OR_NUMBER, (token) => (!token.startsWith('"') && isRounded(token) ? JSON.stringify(ROUNDED + token) : token))
    : text

/** Parses JSON that is passed to `clean` later. Numbers that would be rounded are marked, so that `clean` rejects them. */
export const parseExact = (text: string): unknown => JSON.parse(markRounded(text))

/** Returns whether a value has more than `levels` levels of objects and lists. */
const isDeeperThan = (value: unknown, levels: number): boolean =>
  typeof value === 'object' && value !== null && (levels === 0 || Object.values(value).some((item) => isDeeperThan(item, levels - 1)))

/** Parses a JSON string and cleans its value. Throws the errors of `clean` and `JSON.parse`. */
export function parseClean(text: string): unknown {
  const marked = markRounded(text)
  const value: unknown = JSON.parse(marked)
  return MAY_NEED_CLEANING.test(marked) || isDeeperThan(value, MAX_DEPTH) ? clean(value) : value
}

// Not specified: members without a value. They are omitted, and null counts as no value.
/**
 * Returns a copy of a value without null members.
 *
 * @param path the value's path in the record, for the error
 * @param depth the number of objects and lists that contain the value
 * @throws {InvalidValueError} for a number that would be rounded, NUL, malformed Unicode, a member `__proto__`, or more than 16 levels
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
