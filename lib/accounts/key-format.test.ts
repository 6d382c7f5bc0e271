/** The checksum of an API key detects typing errors without a database query. */
import { expect, it } from 'vitest'
import { generateKey, isWellFormedKey } from './verify-key'

it('accepts a key whose checksum is the CRC-32 of its random part', () => {
  // 'desk_' + 30 zeros + their CRC-32 in base62, computed with zlib.
  expect(isWellFormedKey('desk_0000000000000000000000000000002C8GjS')).toBe(true)
})

it('rejects a wrong character at any position, and every swap of two adjacent characters', () => {
  const key = generateKey()
  expect(key).toMatch(/^desk_[0-9A-Za-z]{36}$/)
  expect(isWellFormedKey(key)).toBe(true)
  for (let i = 5; i < key.length; i += 1) {
    const typo = key.slice(0, i) + (key[i] === 'x' ? 'y' : 'x') + key.slice(i + 1)
    expect(isWellFormedKey(typo), typo).toBe(false)
    const swap = key.slice(0, i) + (key[i + 1] ?? '') + key[i] + key.slice(i + 2)
    if (swap !== key) expect(isWellFormedKey(swap), swap).toBe(false)
  }
})
