/** Tests the end-to-end tests' own `expect`, which falls back to Playwright's if its check fails. */
import { expect as base } from 'playwright/test'
// Playwright's own `test` would need another worker, because it has different fixtures.
import { test } from './support/browser'
import { CHECKS, expect, NOT_CHECKS } from './support/expect'

const VALUES = [
  ...[undefined, null, true, 0, -0, 1, 2, Number.NaN, 1n, '', 'a', 'ab'],
  ...[[], [1], [1, undefined], ['a'], [{ a: 1 }], {}, { a: 1 }, { a: undefined }, { a: 1, b: { c: [1] } }, { b: {} }],
  ...[new Date(0), new Date(0), new Map([[1, 2]]), new Set([1]), new Error('a'), Object.create(null), base.any(String)],
] as unknown[]

for (const [checks, negation] of [
  [CHECKS, ''],
  [NOT_CHECKS, 'not.'],
] as const) {
  for (const [name, check] of Object.entries(checks)) {
    test(`values that pass the check for ${negation}${name} also pass Playwright’s matcher, and some fail the check`, () => {
      const counts = { passed: 0, failed: 0 }
      for (const actual of VALUES) {
        for (const expected of VALUES) {
          counts[check(actual, expected) ? 'passed' : 'failed'] += 1
          if (!check(actual, expected)) continue
          const matchers = negation ? base(actual).not : base(actual)
          ;(Reflect.get(matchers, name) as (expected: unknown) => void)(expected)
        }
      }
      expect(counts.passed).toBeGreaterThan(0)
      expect(counts.failed).toBeGreaterThan(0)
    })
  }
}

test('a failure shows Playwright’s message and the test’s line, and matchers without a custom check still work', async () => {
  const fail = () => expect({ a: 1 }, 'the message').toEqual({ a: 2 })
  base(fail).toThrow(/the message[\s\S]+"a": 2/)
  let stack = ''
  try {
    fail()
  } catch (error) {
    stack = String((error as Error).stack)
  }
  base(/\n\s+at (.+)/.exec(stack)?.[1]).toContain('expect.spec.ts')
  base(() => expect('ab').not.toContain('a')).toThrow('indexOf')
  expect('ab').toMatch(/b$/)
  expect({ a: 'x' }).toMatchObject({ a: expect.any(String) })
  await expect(Promise.resolve(1)).resolves.toBe(1)
  await expect.poll(() => 1).toBe(1)
})
