/** Decrypts tokens in next-auth's default format, and reads session tokens outside of Next. */
import { decode, type JWT, type JWTDecodeParams } from 'next-auth/jwt'
import { findSessionUser, readSessionToken, type SessionUser } from '@/lib/accounts/sessions'
import { sessionSecret } from '@/lib/core/session-secret'

/** The start of every token that next-auth encrypts. A different header could request thousands of rounds of key derivation. */
const HEADER = `${Buffer.from('{"alg":"dir","enc":"A256GCM"}').toString('base64url')}..`

/**
 * Decrypts a token as next-auth does, but accepts only the algorithm that next-auth encrypts with. Returns null if there is no token.
 *
 * @throws {Error} if the token is forged or expired, or uses a different algorithm
 */
export async function decodeToken(params: JWTDecodeParams): Promise<JWT | null> {
  if (params.token?.startsWith(HEADER) === false) throw new Error('The token is not encrypted with next-auth’s algorithm.')
  return decode(params)
}

/** Returns the session ID of a genuine token, or undefined for a forged or expired one. Does not check whether the session has ended. */
export async function readSessionId(token: string, secret: string): Promise<string | undefined> {
  const content = await decodeToken({ token, secret }).catch(() => null)
  return content?.sessionId
}

/** Returns the user of the session in a `Cookie` header, if it is valid. Uses the database connections reserved for check-in. */
export async function findDoorUser(cookies: string | null): Promise<SessionUser | undefined> {
  const token = readSessionToken(cookies)
  const sessionId = token && (await readSessionId(token, await sessionSecret()))
  return sessionId ? findSessionUser(sessionId, true) : undefined
}
