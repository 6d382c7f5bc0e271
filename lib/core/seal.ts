/** Encrypts secrets that must remain readable, with a key derived from NEXTAUTH_SECRET. */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { sessionSecret } from './session-secret'

const CIPHER = 'aes-256-gcm'
/** A random nonce has 96 bits (NIST SP 800-38D, 8.2.2). */
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Derives a separate key for this purpose (RFC 5869), which reveals nothing about the key that signs sessions. */
const deriveKey = async () => Buffer.from(hkdfSync('sha256', await sessionSecret(), '', 'checkout-desk sealed secrets 1', 32))

/** Thrown if a secret cannot be decrypted because NEXTAUTH_SECRET has changed, the owner does not match, or the data is damaged. */
export class UnsealError extends Error {
  override name = 'UnsealError'
}

/**
 * Encrypts a secret.
 *
 * @param owner the ID of the seller or user that the secret belongs to, which is needed to decrypt it
 * @returns the nonce, the authentication tag and the ciphertext
 */
export async function seal(secret: string, owner: string): Promise<Buffer> {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, await deriveKey(), nonce).setAAD(Buffer.from(owner))
  const ciphertext = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext])
}

/** Decrypts a secret that was encrypted for the same owner. @throws {UnsealError} */
export async function unseal(sealed: Buffer, owner: string): Promise<string> {
  const nonce = sealed.subarray(0, NONCE_BYTES)
  const tag = sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES)
  try {
    const decipher = createDecipheriv(CIPHER, await deriveKey(), nonce, { authTagLength: TAG_BYTES })
      .setAAD(Buffer.from(owner))
      .setAuthTag(tag)
    return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8')
  } catch (cause) {
    throw new UnsealError('The secret was encrypted with a different NEXTAUTH_SECRET or for another owner, or is damaged.', { cause })
  }
}

/** Decrypts a secret, or returns undefined if `unseal` throws an `UnsealError`. */
export const tryUnseal = (sealed: Buffer, owner: string): Promise<string | undefined> =>
  unseal(sealed, owner).catch((error: unknown) => {
    if (error instanceof UnsealError) return undefined
    throw error
  })
