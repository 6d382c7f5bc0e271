/** The next-auth configuration. The signed cookie holds only a session ID, which is checked in the database on each request. */
import type { NextAuthOptions } from 'next-auth'
import Credentials from 'next-auth/providers/credentials'
import { endSession, SESSION_DAYS } from '@/lib/accounts/sessions'
import { signIn } from '@/lib/accounts/sign-in'
import { env } from '@/lib/core/env'
import { readAddressHeader } from '@/lib/http/client-address'
import { readDevice, rememberDevice } from './known-device'

declare module 'next-auth' {
  interface User {
    sessionId: string
  }
  interface Session {
    sessionId: string
  }
}
declare module 'next-auth/jwt' {
  interface JWT {
    sessionId?: string
  }
}

const MAX_AGE = SESSION_DAYS * 24 * 60 * 60

/** Restricts redirects to our own origin, so that a sign-in link cannot redirect to another site. */
function redirectInside(url: string, baseUrl: string): string {
  const base = env().NEXTAUTH_URL ?? baseUrl
  try {
    const target = new URL(url, base)
    return target.origin === new URL(base).origin ? target.href : base
  } catch {
    return base
  }
}

export const authOptions: NextAuthOptions = {
  session: { strategy: 'jwt', maxAge: MAX_AGE },
  pages: { signIn: '/sign-in', error: '/sign-in' },
  providers: [
    Credentials({
      credentials: { email: {}, password: {}, sellerId: {}, code: {} },
      async authorize(given, request) {
        const address = readAddressHeader(request.headers)
        const options = { device: await readDevice(), sellerId: given?.sellerId || undefined, code: given?.code || undefined }
        const result = await signIn(String(given?.email ?? ''), String(given?.password ?? ''), address, options)
        if (result.outcome === 'wrong') return null
        // The sign-in form parses the outcome from the error.
        if (result.outcome !== 'signed_in') throw new Error(JSON.stringify(result))
        await rememberDevice(result.userId)
        return { id: result.userId, sessionId: result.sessionId }
      },
    }),
  ],
  callbacks: {
    jwt: ({ token, user }) => (user ? { sessionId: user.sessionId } : { ...(token.sessionId ? { sessionId: token.sessionId } : {}) }),
    session: ({ token, session }) => ({ expires: session.expires, sessionId: token.sessionId ?? '' }),
    redirect: ({ url, baseUrl }) => redirectInside(url, baseUrl),
  },
  // Copies of the cookie must not outlive the sign-out.
  events: { signOut: ({ token }) => (token.sessionId ? endSession(token.sessionId) : Promise.resolve()) },
}
