/** The checksum of an API key detects typing errors without a query. */
import { expect, it } from 'vitest'
import { generateKey, isWellFormedKey } from './verify-key'

it('accepts a key whose checksum is the CRC-32 of its random part', () => {
  // 'desk_' + 30 zeros + their CRC-32 in base62, computed with zlib.
  expect(isWellFormedKey('desk_0000000000000000000000000000002C8GjS')).toBe(true)
})

it('rejects every single-character typo and every swap of two adjacent characters', () => {
  const key = generateKey()
  expect(key).toMatch(/^desk_[0-9A-Za-z]{36}$/)
  expect(isWellFormedKey(key)).toBe(true)
  for (let at = 5; at < key.length; at += 1) {
    const slip = key.slice(0, at) + (key[at] === 'x' ? 'y' : 'x') + key.slice(at + 1)
    expect(isWellFormedKey(slip), slip).toBe(false)
    const swap = key.slice(0, at) + (key[at + 1] ?? '') + key[at] + key.slice(at + 2)
    if (swap !== key) expect(isWellFormedKey(swap), swap).toBe(false)
  }
})
