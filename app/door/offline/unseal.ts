/** Decrypts the entries of the sealed ticket list. Uses WebCrypto, which browsers expose only in secure contexts. */
import { isStrongCode } from '@/lib/admission/code-strength'
import {
  decodeName,
  decodeTicket,
  INDEX_BYTES,
  KEY_BYTES,
  NONCE_BYTES,
  REF_BYTES,
  type SealedName,
  type SealedTicket,
  WEAK_ITERATIONS,
} from '@/lib/admission/sealed-ticket'

const encodeUtf8 = (text: string) => new TextEncoder().encode(text)

/** Decodes base64url. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(binary, (character) => character.charCodeAt(0))
}

/** Encodes bytes in base64url without padding. */
export const toBase64 = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '')

/** The blind index of a code, under which its entry is stored, and the key that decrypts the entry. */
export type CodeKey = { index: string; key: CryptoKey }

/** Imports an AES key for decryption. */
export const toKey = (bits: ArrayBuffer | Uint8Array<ArrayBuffer>) => crypto.subtle.importKey('raw', bits, 'AES-GCM', false, ['decrypt'])

/** Derives the index and the key for a code, like `lib/admission/seal-ticket.ts`. @param indexKey the seller's key for indexes and refs */
export async function deriveCodeKey(indexKey: Uint8Array<ArrayBuffer>, code: string): Promise<CodeKey> {
  if (!isStrongCode(code)) {
    const password = await crypto.subtle.importKey('raw', encodeUtf8(code), 'PBKDF2', false, ['deriveBits'])
    const parameters = { name: 'PBKDF2', hash: 'SHA-256', salt: indexKey, iterations: WEAK_ITERATIONS }
    const bits = new Uint8Array(await crypto.subtle.deriveBits(parameters, password, (INDEX_BYTES + KEY_BYTES) * 8))
    return { index: toBase64(bits.subarray(0, INDEX_BYTES)), key: await toKey(bits.slice(INDEX_BYTES)) }
  }
  const [hmac, material] = await Promise.all([
    crypto.subtle.importKey('raw', indexKey, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']),
    crypto.subtle.importKey('raw', encodeUtf8(code), 'HKDF', false, ['deriveBits']),
  ])
  const [mac, bits] = await Promise.all([
    crypto.subtle.sign('HMAC', hmac, encodeUtf8(`index\n${code}`)),
    crypto.subtle.deriveBits({ name: 'HKDF', hash: 'SHA-256', salt: indexKey, info: encodeUtf8('ticket') }, material, KEY_BYTES * 8),
  ])
  return { index: toBase64(new Uint8Array(mac, 0, INDEX_BYTES)), key: await toKey(bits) }
}

/** Derives the reference under which this device stores a ticket, as `lib/admission/seal-ticket.ts` does. */
export async function deriveRef(indexKey: Uint8Array<ArrayBuffer>, ticketId: string): Promise<string> {
  const hmac = await crypto.subtle.importKey('raw', indexKey, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  return toBase64(new Uint8Array(await crypto.subtle.sign('HMAC', hmac, encodeUtf8(`ref\n${ticketId}`)), 0, REF_BYTES))
}

/** Decrypts a nonce followed by an AES-GCM ciphertext. @param ref the entry's reference, used as additional authenticated data */
async function decrypt(key: CryptoKey, ref: string, sealed: Uint8Array<ArrayBuffer>): Promise<string> {
  const parameters = { name: 'AES-GCM', iv: sealed.subarray(0, NONCE_BYTES), additionalData: fromBase64(ref) }
  return new TextDecoder().decode(await crypto.subtle.decrypt(parameters, key, sealed.subarray(NONCE_BYTES)))
}

/** Returns the nonce of an encrypted entry. The server uses a new one each time it sends the ticket. */
export const readNonce = (sealed: Uint8Array) => toBase64(sealed.subarray(0, NONCE_BYTES))

/** Decrypts an entry. @throws {DOMException} if the key belongs to another code, or the entry was modified */
export const openEntry = async (key: CryptoKey, ref: string, sealed: Uint8Array<ArrayBuffer>): Promise<SealedTicket> =>
  decodeTicket(await decrypt(key, ref, sealed))

/**
 * Decrypts the data by which a guest can be found, such as the name, and the key to the ticket's entry.
 *
 * @throws {DOMException} if the key belongs to another device, or the data was modified
 */
export const openName = async (key: CryptoKey, ref: string, sealed: Uint8Array<ArrayBuffer>): Promise<SealedName> =>
  decodeName(await decrypt(key, ref, sealed))

/** Handles an error from decrypting an entry. Returns undefined, so that the other entries are still shown. Rethrows any other error. */
export function skipUnreadable(error: unknown): undefined {
  if (!(error instanceof DOMException && error.name === 'OperationError')) throw error
}
