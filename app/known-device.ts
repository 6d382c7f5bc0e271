/** A long-lived cookie that names the users who have signed in with a browser: their attempts there have a limit of their own. */
import { randomBytes } from 'node:crypto'
import { cookies } from 'next/headers'
import { decode, encode } from 'next-auth/jwt'
import { z } from 'zod'
import type { Device } from '@/lib/accounts/sign-in-throttle'
import { isBehindTls } from '@/lib/core/env'
import { sessionSecret } from '@/lib/core/session-secret'

const NAME = 'desk-device'
/** Derives another key than that of the session cookie, so that neither can be used as the other. */
const SALT = 'known device'
const MAX_AGE = 365 * 24 * 60 * 60
/** A shared browser at a door has a few users; the one who has not signed in for longest is forgotten. */
const MAX_USERS = 10

const contents = z.object({ id: z.string(), userIds: z.array(z.string()) })

/** Returns the device by its cookie, or undefined if it has none that this server encrypted. */
export async function readDevice(): Promise<Device | undefined> {
  const token = (await cookies()).get(NAME)?.value
  // A foreign or expired cookie is none.
  const payload = await decode({ token, secret: await sessionSecret(), salt: SALT }).catch(() => undefined)
  return contents.safeParse(payload).data
}

/** Adds a user who has signed in to the cookie. Only callable where cookies can be set. */
export async function rememberDevice(userId: string): Promise<void> {
  const { id, userIds } = (await readDevice()) ?? { id: randomBytes(16).toString('base64url'), userIds: [] }
  const device = { id, userIds: [userId, ...userIds.filter((other) => other !== userId)].slice(0, MAX_USERS) }
  const value = await encode({ token: device, secret: await sessionSecret(), maxAge: MAX_AGE, salt: SALT })
  const jar = await cookies()
  jar.set(NAME, value, { httpOnly: true, sameSite: 'lax', secure: isBehindTls(), path: '/', maxAge: MAX_AGE })
}
