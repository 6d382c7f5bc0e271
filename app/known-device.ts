/** A long-lived cookie with the users who have signed in from a browser. Their sign-in attempts from that browser have a separate limit. */
import { cookies } from 'next/headers'
import { encode } from 'next-auth/jwt'
import { z } from 'zod'
import type { KnownDevice } from '@/lib/accounts/sign-in-throttle'
import { isBehindTls } from '@/lib/core/env'
import { sessionSecret } from '@/lib/core/session-secret'
import { decodeToken } from './session-token'

const COOKIE = 'desk-device'
/** Makes the encryption key differ from the session cookie's, so that neither cookie is accepted in place of the other. */
const SALT = 'known device'
const MAX_AGE_SECONDS = 365 * 24 * 60 * 60
/** The maximum number of users per browser; a shared browser at a door has a few. The user who signed in least recently is dropped. */
const MAX_USERS = 10

const contentsSchema = z.object({ users: z.array(z.object({ id: z.string(), credentialsHash: z.string() })) })

/** Returns the device in the request's cookie, or undefined if the cookie is absent, forged or expired. */
export async function readDevice(): Promise<KnownDevice | undefined> {
  const token = (await cookies()).get(COOKIE)?.value
  const payload = await decodeToken({ token, secret: await sessionSecret(), salt: SALT }).catch(() => undefined)
  return contentsSchema.safeParse(payload).data
}

/**
 * Adds a signed-in user to the cookie. Call this only where cookies can be set.
 *
 * @param credentialsHash the hash of the credentials. After they change, the device counts as unknown until the user signs in again
 */
export async function rememberDevice(userId: string, credentialsHash: string): Promise<void> {
  const others = ((await readDevice())?.users ?? []).filter(({ id }) => id !== userId)
  const device: KnownDevice = { users: [{ id: userId, credentialsHash }, ...others].slice(0, MAX_USERS) }
  const value = await encode({ token: device, secret: await sessionSecret(), maxAge: MAX_AGE_SECONDS, salt: SALT })
  const jar = await cookies()
  jar.set(COOKIE, value, { httpOnly: true, sameSite: 'lax', secure: isBehindTls(), path: '/', maxAge: MAX_AGE_SECONDS })
}
