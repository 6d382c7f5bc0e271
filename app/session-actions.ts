'use server'
/** Server action that signs out. */
import { cookies } from 'next/headers'
import { redirect } from 'next/navigation'
import { getServerSession } from 'next-auth'
import { endSession } from '@/lib/accounts/sessions'
import { authOptions } from './auth'

/** The names of next-auth's session cookie, over HTTP and over HTTPS. */
const COOKIES = ['next-auth.session-token', '__Secure-next-auth.session-token']

/** Ends the session on the server, so that copies of its cookie are invalid, and deletes the cookie. */
export async function signOut(): Promise<void> {
  const session = await getServerSession(authOptions)
  if (session?.sessionId) await endSession(session.sessionId)
  const jar = await cookies()
  for (const name of COOKIES) jar.delete(name)
  redirect('/sign-in')
}
