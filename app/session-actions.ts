'use server'
/** What a person does to their own session. */
import { cookies } from 'next/headers'
import { redirect } from 'next/navigation'
import { getServerSession } from 'next-auth'
import { endSession } from '@/lib/accounts/sessions'
import { authOptions } from './auth'

/** next-auth's names of the cookie: plain, and behind TLS. */
const COOKIES = ['next-auth.session-token', '__Secure-next-auth.session-token']

/** Ends the session's row, so that the cookie is worth nothing even to who has kept it, and takes the cookie away. */
export async function signOut(): Promise<void> {
  const session = await getServerSession(authOptions)
  if (session?.sessionId) await endSession(session.sessionId)
  const jar = await cookies()
  for (const name of COOKIES) jar.delete(name)
  redirect('/sign-in')
}
