/** Describes a validation issue as a predicate to append to the member's path: `amount` + `must be a number, not a string`. */
import type { z } from 'zod'

type Issue = z.core.$ZodIssue

/** The names of zod's and `typeof`'s types in error messages. */
const TYPES: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'a boolean',
  array: 'an array',
  object: 'an object',
  record: 'an object',
  null: 'null',
}

/** Returns the type of a value, for error messages. */
const describeType = (value: unknown) =>
  value === null ? 'null' : Array.isArray(value) ? 'an array' : (TYPES[typeof value] ?? typeof value)

/** Returns the path of a member, such as `billing.address.city` or `metadata[0].key`. */
export const formatPath = (path: readonly PropertyKey[]) =>
  path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '')

/** Returns the path of an issue, including the name of the first unknown member, if any. */
export function formatIssuePath(issue: Issue): string {
  return formatPath(issue.code === 'unrecognized_keys' && issue.keys[0] !== undefined ? [...issue.path, issue.keys[0]] : issue.path)
}

/** Describes an issue. @param input the value that failed validation, which shows whether a member is missing or has the wrong type */
export function describeIssue(issue: Issue, input: unknown): string {
  const value = issue.path.reduce<unknown>((holder, part) => (holder as Record<PropertyKey, unknown> | undefined)?.[part], input)
  switch (issue.code) {
    case 'invalid_type':
      if (value === undefined) return 'is missing'
      if (typeof value === 'number' && issue.expected === 'number') return 'must be a finite number'
      if (typeof value === 'number' && issue.expected === 'int') return 'must be a whole number'
      return `must be ${TYPES[issue.expected] ?? issue.expected}, not ${describeType(value)}`
    case 'invalid_value':
      return value === undefined
        ? 'is missing'
        : issue.message.startsWith('Invalid')
          ? `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.join(', ')}`
          : issue.message
    case 'unrecognized_keys':
      return 'is not a known member'
    case 'custom':
      return issue.message
    default:
      return value === undefined && issue.path.length > 0 ? 'is missing' : issue.message
  }
}
