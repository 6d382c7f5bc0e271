/** Who asks for a page. Each page asks for itself: nothing in front of it is trusted to have asked. */
import { forbidden, redirect } from 'next/navigation'
import { getServerSession } from 'next-auth'
import { cache } from 'react'
import { mayUse, type Right } from '@/lib/accounts/roles'
import { findPerson, type Person } from '@/lib/accounts/sessions'
import { ApiError } from '@/lib/core/errors'
import { authOptions } from './auth'

/**
 * The person who is signed in, or undefined; asked of the database once a request.
 *
 * @param atDoor a guest waits on the answer
 */
export const currentPerson = cache(async (atDoor = false): Promise<Person | undefined> => {
  const session = await getServerSession(authOptions)
  return session?.sessionId ? findPerson(session.sessionId, atDoor) : undefined
})

/**
 * The person, who may do what the page is for. Sends anyone else to sign in, or shows the 403 page.
 *
 * @param back the page's own path, to come back to
 */
export async function requirePerson(right: Right, back: string): Promise<Person> {
  const person = await currentPerson()
  if (!person) redirect(`/sign-in?callbackUrl=${encodeURIComponent(back)}`)
  if (!mayUse(person.role, right)) forbidden()
  return person
}

/** The person behind a call that a page makes. @throws {ApiError} where nobody is signed in any more, or their role does not do this */
export async function callingPerson(right: Right): Promise<Person> {
  const person = await currentPerson()
  if (!person) throw new ApiError('key_missing', 'Nobody is signed in here any more. Sign in again.')
  if (!mayUse(person.role, right)) throw new ApiError('scope_missing', 'Your role does not include this. Ask the owner of the shop.')
  return person
}
