/** The signed-in user. Every page and action checks access itself and relies on no middleware. */
import { forbidden, redirect } from 'next/navigation'
import { getServerSession } from 'next-auth'
import { cache } from 'react'
import { mayUse, type Right } from '@/lib/accounts/roles'
import { findPerson, type Person } from '@/lib/accounts/sessions'
import { ApiError } from '@/lib/core/errors'
import { authOptions } from './auth'

/**
 * Returns the signed-in user, or undefined. Queries the database once per request.
 *
 * @param atDoor uses the connection pool that is reserved for check-in
 */
export const currentPerson = cache(async (atDoor = false): Promise<Person | undefined> => {
  const session = await getServerSession(authOptions)
  return session?.sessionId ? findPerson(session.sessionId, atDoor) : undefined
})

/**
 * Returns the user if their role has the right. Otherwise redirects to sign-in or shows the 403 page.
 *
 * @param back the path to return to after signing in
 */
export async function requirePerson(right: Right, back: string): Promise<Person> {
  const person = await currentPerson()
  if (!person) redirect(`/sign-in?callbackUrl=${encodeURIComponent(back)}`)
  if (!mayUse(person.role, right)) forbidden()
  return person
}

/** Returns the user of a request made by a page's script. @throws {ApiError} if the user is not signed in, or their role lacks the right */
export async function requireCaller(right: Right): Promise<Person> {
  const person = await currentPerson()
  if (!person) throw new ApiError('key_missing', 'You have been signed out. Sign in again.')
  if (!mayUse(person.role, right))
    throw new ApiError('scope_missing', 'Your role does not allow this. Ask an owner of your shop for access.')
  return person
}
