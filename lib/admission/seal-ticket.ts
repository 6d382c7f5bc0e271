/** Seals the entries of a device's ticket list, so that only a ticket's code opens its entry. */
import { createCipheriv, createHash, createHmac, hkdfSync, pbkdf2, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { sessionSecret } from '../core/session-secret'
import { INDEX_BYTES, KEY_BYTES, NONCE_BYTES, REF_BYTES, WEAK_ITERATIONS } from './sealed-ticket'

const CIPHER = 'aes-256-gcm'

/** Returns a seller's key for indexes and references. If NEXTAUTH_SECRET changes, so does the key, and devices reload their lists. */
export const deriveIndexKey = async (sellerId: string) =>
  Buffer.from(hkdfSync('sha256', await sessionSecret(), sellerId, 'checkout-desk ticket list 1', KEY_BYTES))

/**
 * Returns the key that seals the guests' names for a device. The device keeps it only in memory, and an expired or revoked device cannot
 * load it again.
 */
export const deriveSearchKey = async (sellerId: string, deviceId: string) =>
  Buffer.from(hkdfSync('sha256', await sessionSecret(), `${sellerId} ${deviceId}`, 'checkout-desk guest search 1', KEY_BYTES))

/** Returns a fingerprint that identifies a device's list without revealing the index key. @param database identifies the database */
export const fingerprintList = (indexKey: Buffer, deviceId: string, database: string) =>
  createHash('sha256').update(indexKey).update(`${deviceId} ${database}`).digest('hex').slice(0, 8)

const hmac = (key: Buffer, purpose: string, text: string) => createHmac('sha256', key).update(`${purpose}\n${text}`).digest()

/** Returns the reference that a device stores a ticket under. It reveals nothing about the ticket's ID. */
export const deriveRef = (indexKey: Buffer, ticketId: string) => hmac(indexKey, 'ref', ticketId).subarray(0, REF_BYTES)

/** The index of a code, and the key that opens its entry. */
export type CodeKey = { index: Buffer; key: Buffer }

/** Derives the index and the key for a strong code, in about 20 µs. */
export const deriveKey = (indexKey: Buffer, code: string): CodeKey => ({
  index: hmac(indexKey, 'index', code).subarray(0, INDEX_BYTES),
  key: Buffer.from(hkdfSync('sha256', code, indexKey, 'ticket', KEY_BYTES)),
})

const deriveBits = promisify(pbkdf2)

/** Derives the index and the key for a weak code, in about 30 ms on a background thread. @returns the index followed by the key */
export const deriveWeakKey = (indexKey: Buffer, code: string) =>
  deriveBits(code, indexKey, WEAK_ITERATIONS, INDEX_BYTES + KEY_BYTES, 'sha256')

/** Splits the result of `deriveWeakKey` into the index and the key. */
export const splitWeakKey = (bits: Buffer): CodeKey => ({ index: bits.subarray(0, INDEX_BYTES), key: bits.subarray(INDEX_BYTES) })

/** Returns an HMAC of a code, with the seller's index key. */
export const codeDigest = (indexKey: Buffer, code: string) => hmac(indexKey, 'digest', code)

/** Encrypts an entry. @param ref binds the entry to its ticket @returns nonce, ciphertext and tag */
export function sealEntry(key: Buffer, ref: Buffer, text: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(ref)
  return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
}
