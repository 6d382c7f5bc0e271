/** Stores a check-in device's token in its cookie. */
import { cookies } from 'next/headers'
import { DEVICE_COOKIE, REPORT_DAYS } from '@/lib/accounts/check-in-devices'
import { isBehindTls } from '@/lib/core/env'

/** @param expiresAt when the device expires */
export async function storeDeviceCookie({ token, expiresAt }: { token: string; expiresAt: Date }): Promise<void> {
  const jar = await cookies()
  // The cookie outlives the device, which can still report its scans afterward.
  const expires = new Date(expiresAt.getTime() + REPORT_DAYS * 86_400_000)
  // The cookie is sent only with the check-in page's requests, and no script can read it.
  jar.set(DEVICE_COOKIE, token, { httpOnly: true, sameSite: 'strict', secure: isBehindTls(), path: '/door', expires })
}
