/**
 * Signs the IDs of check-in devices. A browser that has been set up as a different device no longer has the earlier device's token, so it
 * uses the signed ID to prove that it made its unsent scans as that device.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { sessionSecret } from '../core/session-secret'

const PURPOSE = 'checkout-desk device id 1'

/** Returns a device's ID with a signature, which is valid only for this seller, and until NEXTAUTH_SECRET changes. */
export async function signDeviceId(sellerId: string, deviceId: string): Promise<string> {
  const hmac = createHmac('sha256', await sessionSecret()).update(`${PURPOSE}\n${sellerId}\n${deviceId}`)
  return `${deviceId}.${hmac.digest('base64url')}`
}

/** Returns the ID in a signed ID, or undefined if the signature is invalid. */
export async function verifyDeviceId(sellerId: string, signed: string): Promise<string | undefined> {
  const [deviceId = ''] = signed.split('.')
  const [received, expected] = [Buffer.from(signed), Buffer.from(await signDeviceId(sellerId, deviceId))]
  return received.length === expected.length && timingSafeEqual(received, expected) ? deviceId : undefined
}
