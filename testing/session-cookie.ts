/** Creates the `Cookie` header of a session, for tests of handlers that read the header directly. */
import { encode } from 'next-auth/jwt'
import { sessionSecret } from '@/lib/core/session-secret'

/** Returns the `Cookie` header for a session. */
export const sessionCookie = async (sessionId: string): Promise<string> =>
  `next-auth.session-token=${await encode({ token: { sessionId }, secret: await sessionSecret() })}`
