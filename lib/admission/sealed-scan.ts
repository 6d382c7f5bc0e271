/**
 * Decrypts scans that a device encrypted to the server's public key, so that a stolen phone reveals none of the codes that it has scanned.
 * Uses ECDH on P-256, HKDF and AES-256-GCM.
 */
import { createDecipheriv, createECDH, type ECDH, hkdfSync } from 'node:crypto'
import { sessionSecret } from '../core/session-secret'
import { KEY_BYTES, NONCE_BYTES, PUBLIC_KEY_BYTES, TAG_BYTES } from './sealed-ticket'

/** Derives a seller's key pair. About one in 2^32 derived scalars is not below the curve's order, in which case another is derived. */
async function deriveKeyPair(sellerId: string): Promise<ECDH> {
  const secret = await sessionSecret()
  for (let tries = 0; ; tries += 1) {
    const pair = createECDH('prime256v1')
    try {
      pair.setPrivateKey(Buffer.from(hkdfSync('sha256', secret, sellerId, `checkout-desk scans 1 ${tries}`, KEY_BYTES)))
      return pair
    } catch (error) {
      if (tries > 9) throw error
    }
  }
}

/** Returns the public key that a seller's devices encrypt their scans with, in base64url. */
export const deriveScanKey = async (sellerId: string) => (await deriveKeyPair(sellerId)).getPublicKey().toString('base64url')

/**
 * Returns a function that decrypts a seller's scans. The function returns undefined if NEXTAUTH_SECRET has changed since the scan was
 * encrypted, or if the scan was modified.
 */
export async function createScanOpener(sellerId: string): Promise<(id: string, sealed: string) => string | undefined> {
  const pair = await deriveKeyPair(sellerId)
  return (id, sealed) => {
    const bytes = Buffer.from(sealed, 'base64url')
    const [publicKey, rest] = [bytes.subarray(0, PUBLIC_KEY_BYTES), bytes.subarray(PUBLIC_KEY_BYTES)]
    try {
      const key = Buffer.from(hkdfSync('sha256', pair.computeSecret(publicKey), publicKey, 'scan', KEY_BYTES))
      const decipher = createDecipheriv('aes-256-gcm', key, rest.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
        .setAAD(Buffer.from(id))
        .setAuthTag(rest.subarray(-TAG_BYTES))
      return Buffer.concat([decipher.update(rest.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]).toString('utf8')
    } catch {
      return undefined
    }
  }
}
