/** The next-auth configuration. Our only data in its cookie is a session ID, which is checked against the database on each request. */
import type { NextAuthOptions, User } from 'next-auth'
import type { JWT } from 'next-auth/jwt'
import Credentials from 'next-auth/providers/credentials'
import { z } from 'zod'
import { endSession, findSessionUser, SESSION_DAYS } from '@/lib/accounts/sessions'
import { type SignIn, signIn } from '@/lib/accounts/sign-in'
import { env } from '@/lib/core/env'
import { log } from '@/lib/core/log'
import { readAddressHeader } from '@/lib/http/client-address'
import { readDevice, rememberDevice } from './known-device'
import { decodeToken } from './session-token'

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

const MAX_AGE_SECONDS = SESSION_DAYS * 24 * 60 * 60

/** Returns the URL if it is on our own origin, otherwise the base URL, so that a sign-in link cannot redirect to another site. */
function toSafeRedirect(url: string, baseUrl: string): string {
  const base = env().NEXTAUTH_URL ?? baseUrl
  try {
    const target = new URL(url, base)
    return target.origin === new URL(base).origin ? target.href : base
  } catch {
    return base
  }
}

/** Returns the contents of the session cookie. */
const toToken = ({ token, user }: { token: JWT; user?: User }): JWT => {
  const sessionId = user?.sessionId ?? token.sessionId
  return sessionId ? { sessionId } : {}
}

/** next-auth also accepts JSON bodies, where values can have any type. */
const signInSchema = z.object({ email: z.string(), password: z.string(), sellerId: z.string().optional(), code: z.string().optional() })

async function signInWith(
  { email, password, sellerId, code }: z.output<typeof signInSchema>,
  headers: Record<string, unknown>,
): Promise<SignIn> {
  try {
    const options = { device: await readDevice(), sellerId: sellerId || undefined, code: code || undefined }
    const result = await signIn(email, password, readAddressHeader(headers), options)
    if (result.outcome === 'signed_in') await rememberDevice(result.userId, result.credentialsHash)
    return result
  } catch (error) {
    log().error({ error }, 'sign-in failed')
    // next-auth sends the error's message to the browser.
    throw new Error('failed')
  }
}

/**
 * Signs in. Returns the user, or null if the email address or the password is wrong.
 *
 * @throws {Error} for any other outcome. The message is the outcome as JSON, which the sign-in form parses, or `failed` after an error
 */
export async function authorize(credentials: unknown, headers: Record<string, unknown> = {}): Promise<User | null> {
  const parsed = signInSchema.safeParse(credentials)
  if (!parsed.success) return null
  const result = await signInWith(parsed.data, headers)
  if (result.outcome === 'wrong') return null
  if (result.outcome !== 'signed_in') throw new Error(JSON.stringify(result))
  return { id: result.userId, sessionId: result.sessionId }
}

const authOptions: NextAuthOptions = {
  session: { strategy: 'jwt', maxAge: MAX_AGE_SECONDS },
  jwt: { decode: decodeToken },
  pages: { signIn: '/sign-in', error: '/sign-in' },
  providers: [
    Credentials({
      credentials: { email: {}, password: {}, sellerId: {}, code: {} },
      authorize: (credentials, { headers }) => authorize(credentials, headers),
    }),
  ],
  callbacks: {
    jwt: toToken,
    session: ({ token, session }) => ({ expires: session.expires, sessionId: token.sessionId ?? '' }),
    redirect: ({ url, baseUrl }) => toSafeRedirect(url, baseUrl),
  },
  // Copies of the cookie must not be valid after the user has signed out.
  events: { signOut: ({ token }) => (token.sessionId ? endSession(token.sessionId) : Promise.resolve()) },
}

/** The options for next-auth's own routes. Unlike pages, these routes renew the cookie, so they check whether the session has ended. */
export const routeOptions: NextAuthOptions = {
  ...authOptions,
  callbacks: {
    ...authOptions.callbacks,
    async jwt({ token, user }) {
      // If this throws, next-auth deletes the cookie.
      if (!user && !(token.sessionId && (await findSessionUser(token.sessionId)))) throw new Error('The session has ended.')
      return toToken({ token, user })
    },
  },
}
