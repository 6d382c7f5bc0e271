/**
 * Playwright's `expect`, but without a step for each passing check of a plain value. A step captures a stack trace, is sent to the
 * reporters with the expected value, and takes longer the more steps a test already has: of 3,000 steps, the last thousand take four
 * times as long as the first thousand.
 */
import { isDeepStrictEqual } from 'node:util'
import { expect as base } from 'playwright/test'

type Check = (actual: unknown, expected: unknown) => boolean

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && [Object.prototype, Array.prototype].includes(Object.getPrototypeOf(value))

const includes: Check = (actual, expected) => {
  if (!isObject(actual) || !isObject(expected)) return Object.is(actual, expected)
  if (Array.isArray(actual) !== Array.isArray(expected)) return false
  if (Array.isArray(actual) && actual.length !== (expected as unknown as unknown[]).length) return false
  return Object.entries(expected).every(([key, value]) => Object.hasOwn(actual, key) && includes(actual[key], value))
}

const compare =
  (holds: (actual: number, expected: number) => boolean): Check =>
  (actual, expected) =>
    typeof actual === 'number' && typeof expected === 'number' && holds(actual, expected)

/** Each check returns true only if Playwright's matcher would pass. If it returns false, that matcher decides. */
export const CHECKS: Record<string, Check> = {
  toBe: Object.is,
  toEqual: isDeepStrictEqual,
  toMatchObject: (actual, expected) => isObject(expected) && includes(actual, expected),
  toContain: (actual, expected) => typeof actual === 'string' && typeof expected === 'string' && actual.includes(expected),
  toHaveLength: (actual, expected) => (typeof actual === 'string' || Array.isArray(actual)) && actual.length === expected,
  toBeGreaterThan: compare((actual, expected) => actual > expected),
  toBeGreaterThanOrEqual: compare((actual, expected) => actual >= expected),
  toBeLessThan: compare((actual, expected) => actual < expected),
  toBeLessThanOrEqual: compare((actual, expected) => actual <= expected),
}

/** The checks for negated matchers. */
export const NOT_CHECKS: Record<string, Check> = {
  toBe: (actual, expected) => !Object.is(actual, expected),
  toContain: (actual, expected) => typeof actual === 'string' && typeof expected === 'string' && !actual.includes(expected),
}

/** Removes this file from an error's stack trace, so that the report shows the test's line. */
function cleanStack(error: unknown): unknown {
  if (error instanceof Error) {
    error.stack = error.stack
      ?.split('\n')
      .filter((line) => !line.includes('e2e/support/expect.ts'))
      .join('\n')
  }
  return error
}

function addChecks<Matchers extends object>(checks: Record<string, Check>, actual: unknown, matchers: () => Matchers): Matchers {
  const get = (_: Matchers, name: string) => {
    const check = checks[name]
    if (name === 'not') return addChecks(NOT_CHECKS, actual, () => Reflect.get(matchers(), 'not') as object)
    if (!check) return Reflect.get(matchers(), name) as unknown
    return (expected: unknown) => {
      if (check(actual, expected)) return
      try {
        const matcher = Reflect.get(matchers(), name) as (expected: unknown) => void
        matcher(expected)
      } catch (error) {
        throw cleanStack(error)
      }
    }
  }
  return new Proxy({} as Matchers, { get: get as ProxyHandler<Matchers>['get'] & {} })
}

export const expect: typeof base = new Proxy(base, {
  apply: (_, __, [actual, message]: [unknown, string?]) => addChecks(CHECKS, actual, () => base(actual, message)),
})
