/** Reads session tokens outside of Next, with next-auth's own format. */
import { decode } from 'next-auth/jwt'
import { findSessionUser, readSessionToken, type SessionUser } from '@/lib/accounts/sessions'
import { sessionSecret } from '@/lib/core/session-secret'

/** Returns the session ID of a genuine token, or undefined for a forged or expired one. Whether the session has ended is not checked. */
export async function readSessionId(token: string, secret: string): Promise<string | undefined> {
  const content = await decode({ token, secret }).catch(() => null)
  return content?.sessionId
}

/** Returns the user of the session in a `Cookie` header, or undefined. Uses the connections that are reserved for check-in. */
export async function findDoorUser(cookies: string | null): Promise<SessionUser | undefined> {
  const token = readSessionToken(cookies)
  const sessionId = token && (await readSessionId(token, await sessionSecret()))
  return sessionId ? findSessionUser(sessionId, true) : undefined
}
