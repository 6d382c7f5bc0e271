/** Email addresses are normalized before they are stored and compared. */
import { expect, it } from 'vitest'
import { emailSchema, normalizeEmail } from './email'

it('normalizes case, surrounding spaces and Unicode forms, and is idempotent', () => {
  for (const [address, folded] of [
    [' Ada@Example.COM ', 'ada@example.com'],
    ['A\u030asa@example.com', '\u00e5sa@example.com'],
    ['\u212aelvin@example.com', 'kelvin@example.com'],
    ['İ@example.com', 'i\u0307@example.com'],
  ] as const) {
    expect(normalizeEmail(address)).toBe(folded)
    expect(normalizeEmail(folded)).toBe(folded)
  }
})

it('rejects look-alike addresses that contain non-ASCII letters or control characters', () => {
  for (const address of ['i\u0307@example.com', 'ı@example.com', 'ada@exampleſ.com', 'ada\0@example.com']) {
    expect(emailSchema.safeParse(address).success).toBe(false)
  }
  expect(emailSchema.safeParse('i@example.com').success).toBe(true)
})
