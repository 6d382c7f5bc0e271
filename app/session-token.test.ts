/** Tests that session IDs are read only from tokens encrypted by this server. */
import { createCipheriv, hkdfSync, pbkdf2Sync, randomBytes } from 'node:crypto'
import { encode } from 'next-auth/jwt'
import { expect, it } from 'vitest'
import { readSessionId } from './session-token'

const SECRET = 'a secret of at least 32 characters'
const token = { sessionId: 'the-session' }

it('returns the session ID of a genuine token', async () => {
  expect(await readSessionId(await encode({ token, secret: SECRET }), SECRET)).toBe('the-session')
})

it('returns undefined for forged and expired tokens, and for tokens without a session ID', async () => {
  for (const forged of [
    'forged',
    await encode({ token, secret: 'another secret of 32 characters..' }),
    await encode({ token, secret: SECRET, maxAge: -3600 }),
    await encode({ token: {}, secret: SECRET }),
  ])
    expect(await readSessionId(forged, SECRET)).toBeUndefined()
})

/** Encrypts a token with a key derived from a password (RFC 7518, section 4.8). The token specifies the number of rounds. */
function encryptWithPassword(content: object, password: Uint8Array, rounds: number): string {
  const text = (value: Uint8Array | string) => Buffer.from(value).toString('base64url')
  const [salt, key, iv] = [randomBytes(16), randomBytes(32), randomBytes(12)]
  const name = 'PBES2-HS512+A256KW'
  const header = text(JSON.stringify({ alg: name, enc: 'A256GCM', p2c: rounds, p2s: text(salt) }))
  const derived = pbkdf2Sync(password, Buffer.concat([Buffer.from(`${name}\0`), salt]), rounds, 32, 'sha512')
  const wrapped = createCipheriv('id-aes256-wrap', derived, Buffer.alloc(8, 0xa6)).update(key)
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(header))
  const encrypted = Buffer.concat([cipher.update(JSON.stringify(content)), cipher.final()])
  return [header, ...[wrapped, iv, encrypted, cipher.getAuthTag()].map(text)].join('.')
}

it('rejects a token with a different algorithm, because an attacker could make its decryption slow', async () => {
  // The token is encrypted with the server's key, so that the algorithm is the only reason to reject it.
  const key = new Uint8Array(hkdfSync('sha256', SECRET, '', 'NextAuth.js Generated Encryption Key', 32))
  expect(await readSessionId(encryptWithPassword(token, key, 1_000), SECRET)).toBeUndefined()
})
