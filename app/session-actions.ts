'use server'
/** The server action for signing out without JavaScript. With JavaScript, pages send `POST /door/sign-out`. */
import { cookies } from 'next/headers'
import { redirect } from 'next/navigation'
import { endSession, SESSION_COOKIES } from '@/lib/accounts/sessions'
import { currentSessionId } from './session'

/** Ends the session on the server, so that copies of its cookie stop working, deletes the cookies, and redirects to the sign-in page. */
export async function signOut(): Promise<void> {
  const sessionId = await currentSessionId()
  if (sessionId) await endSession(sessionId)
  const jar = await cookies()
  // Browsers ignore the deletion of a `__Secure-` cookie without `Secure`.
  for (const name of SESSION_COOKIES) jar.delete({ name, secure: name.startsWith('__Secure-') })
  redirect('/sign-in')
}
