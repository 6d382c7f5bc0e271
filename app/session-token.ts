/** Reads session tokens outside of Next, with next-auth's own format. */
import { decode } from 'next-auth/jwt'

/** Returns the session ID of a genuine token, or undefined for a forged or expired one. Whether the session has ended is not checked. */
export async function readSessionId(token: string, secret: string): Promise<string | undefined> {
  const content = await decode({ token, secret }).catch(() => null)
  return content?.sessionId
}
