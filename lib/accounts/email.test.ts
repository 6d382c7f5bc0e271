/** Email addresses are normalized before they are stored and compared. */
import { expect, it } from 'vitest'
import { email, foldEmail } from './email'

it('normalizes case, surrounding spaces and Unicode forms, and is idempotent', () => {
  for (const [given, folded] of [
    [' Ada@Example.COM ', 'ada@example.com'],
    ['A\u030asa@example.com', '\u00e5sa@example.com'],
    ['\u212aelvin@example.com', 'kelvin@example.com'],
    ['İ@example.com', 'i\u0307@example.com'],
  ] as const) {
    expect(foldEmail(given)).toBe(folded)
    expect(foldEmail(folded)).toBe(folded)
  }
})

it('distinguishes addresses that look alike, because users’ addresses contain only ASCII letters', () => {
  for (const other of ['i\u0307@example.com', 'ı@example.com', 'ada@exampleſ.com', 'ada\0@example.com']) {
    expect(email.safeParse(other).success).toBe(false)
  }
  expect(email.safeParse('i@example.com').success).toBe(true)
})
