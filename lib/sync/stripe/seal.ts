/** Keeps a secret that has to be read again: encrypted with a key that is drawn from the server's own secret. */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { sessionSecret } from '../../core/session-secret'

const CIPHER = 'aes-256-gcm'
/** NIST SP 800-38D, 8.2: a random nonce of 96 bits. */
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** RFC 5869: a key of its own for this purpose, so that it tells nothing of the one that signs sessions. */
const keyOf = async () => Buffer.from(hkdfSync('sha256', await sessionSecret(), '', 'checkout-desk sealed secrets 1', 32))

/** What was sealed can't be opened: it was sealed by another NEXTAUTH_SECRET, for another owner, or was changed. */
export class Unsealable extends Error {
  override name = 'Unsealable'
}

/** @param owner whom the secret belongs to: for no other can it be opened */
export async function seal(secret: string, owner: string): Promise<Buffer> {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, await keyOf(), nonce).setAAD(Buffer.from(owner))
  const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), text])
}

/** @throws {Unsealable} */
export async function unseal(sealed: Buffer, owner: string): Promise<string> {
  const nonce = sealed.subarray(0, NONCE_BYTES)
  const tag = sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES)
  try {
    const decipher = createDecipheriv(CIPHER, await keyOf(), nonce, { authTagLength: TAG_BYTES })
      .setAAD(Buffer.from(owner))
      .setAuthTag(tag)
    return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8')
  } catch (cause) {
    throw new Unsealable('The secret was sealed by another NEXTAUTH_SECRET.', { cause })
  }
}
