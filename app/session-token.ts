/** Decrypts tokens in next-auth's own format, and reads session tokens outside of Next. */
import { decode, type JWT, type JWTDecodeParams } from 'next-auth/jwt'
import { findSessionUser, readSessionToken, type SessionUser } from '@/lib/accounts/sessions'
import { sessionSecret } from '@/lib/core/session-secret'

/** The start of every token that next-auth encrypts. Another header could name an algorithm that derives its key in thousands of rounds. */
const HEADER = `${Buffer.from('{"alg":"dir","enc":"A256GCM"}').toString('base64url')}..`

/** Decrypts a token like next-auth, unless it names another algorithm. @throws {Error} if it is forged or expired */
export async function decodeToken(params: JWTDecodeParams): Promise<JWT | null> {
  if (params.token?.startsWith(HEADER) === false) throw new Error('The token is not encrypted with next-auth’s algorithm.')
  return decode(params)
}

/** Returns the session ID of a genuine token, or undefined for a forged or expired one. Whether the session has ended is not checked. */
export async function readSessionId(token: string, secret: string): Promise<string | undefined> {
  const content = await decodeToken({ token, secret }).catch(() => null)
  return content?.sessionId
}

/** Returns the user of the session in a `Cookie` header, or undefined. Uses the connections that are reserved for check-in. */
export async function findDoorUser(cookies: string | null): Promise<SessionUser | undefined> {
  const token = readSessionToken(cookies)
  const sessionId = token && (await readSessionId(token, await sessionSecret()))
  return sessionId ? findSessionUser(sessionId, true) : undefined
}
