/** Encrypts scans for the server, so that queued codes cannot be read from the phone. `lib/admission/sealed-scan.ts` decrypts them. */
import type { OfflineScan } from '@/lib/admission/scan-content'
import { KEY_BYTES, NONCE_BYTES } from '@/lib/admission/sealed-ticket'
import { fromBase64, toBase64 } from './unseal'

const CURVE = { name: 'ECDH', namedCurve: 'P-256' }

/**
 * Encrypts a scan.
 *
 * @param scanKey the server's public key in base64url
 * @param id the scan's ID, to which the result is bound
 * @returns the encrypted scan in base64url
 */
export async function sealScan(scanKey: string, id: string, scan: OfflineScan): Promise<string> {
  const server = await crypto.subtle.importKey('raw', fromBase64(scanKey), CURVE, false, [])
  const own = await crypto.subtle.generateKey(CURVE, false, ['deriveBits'])
  const publicKey = new Uint8Array(await crypto.subtle.exportKey('raw', own.publicKey))
  const shared = await crypto.subtle.deriveBits({ name: 'ECDH', public: server }, own.privateKey, KEY_BYTES * 8)
  const material = await crypto.subtle.importKey('raw', shared, 'HKDF', false, ['deriveKey'])
  const derivation = { name: 'HKDF', hash: 'SHA-256', salt: publicKey, info: new TextEncoder().encode('scan') }
  const key = await crypto.subtle.deriveKey(derivation, material, { name: 'AES-GCM', length: KEY_BYTES * 8 }, false, ['encrypt'])
  const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES))
  const parameters = { name: 'AES-GCM', iv: nonce, additionalData: new TextEncoder().encode(id) }
  const sealed = new Uint8Array(await crypto.subtle.encrypt(parameters, key, new TextEncoder().encode(JSON.stringify(scan))))
  return toBase64(new Uint8Array([...publicKey, ...nonce, ...sealed]))
}
