/** Only the password that a hash was created from matches the hash. */
import { expect, it } from 'vitest'
import { hashPassword, verifyPassword } from './passwords'

it('accepts only the password that was hashed', async () => {
  const hash = await hashPassword('correct horse battery')
  expect(hash).toMatch(/^\$argon2id\$/)
  expect(await verifyPassword(hash, 'correct horse battery')).toBe(true)
  expect(await verifyPassword(hash, 'correct horse batterz')).toBe(false)
})

it('rejects every password for an unknown user, even the one that the dummy hash was created from', async () => {
  for (const password of ['correct horse battery', 'dummy password', '']) {
    expect(await verifyPassword(undefined, password)).toBe(false)
  }
})
