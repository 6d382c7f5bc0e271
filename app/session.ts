/** The signed-in user. Every page and action checks access itself instead of relying on middleware. */
import { headers } from 'next/headers'
import { forbidden, redirect } from 'next/navigation'
import { cache } from 'react'
import { mayUse, type Right } from '@/lib/accounts/roles'
import { findSessionUser, mustSetUpTwoFactor, readSessionToken, type SessionUser } from '@/lib/accounts/sessions'
import { ApiError } from '@/lib/core/errors'
import { sessionSecret } from '@/lib/core/session-secret'
import { ActionError } from './action-error'
import { errorCopy } from './copy/errors'
import { requestErrors } from './copy/request-errors'
import { checkPageUser, namesDifferentUser } from './page-user'
import { readSessionId } from './session-token'

/** Returns the ID of the session in the request's cookie, or undefined. Does not check whether the session has ended. */
export const currentSessionId = cache(async (): Promise<string | undefined> => {
  const token = readSessionToken((await headers()).get('cookie'))
  return token && readSessionId(token, await sessionSecret())
})

/** Returns the signed-in user, or undefined. Queries the database at most once per render, but on every call in a server action. */
export const currentUser = cache(async (): Promise<SessionUser | undefined> => {
  const sessionId = await currentSessionId()
  return sessionId ? findSessionUser(sessionId) : undefined
})

function checkRight(user: SessionUser | undefined, right: Right, returnPath: string): SessionUser {
  if (!user) redirect(`/sign-in?callbackUrl=${encodeURIComponent(returnPath)}`)
  if (right !== 'account' && mustSetUpTwoFactor(user)) redirect('/settings/two-factor')
  if (!mayUse(user.role, right)) forbidden()
  return user
}

/**
 * Returns the user if their role has the right. Otherwise redirects to the sign-in or two-factor page, or shows the 403 page.
 *
 * @param returnPath the path to return to after signing in
 */
export const requireUser = async (right: Right, returnPath: string): Promise<SessionUser> =>
  checkRight(await currentUser(), right, returnPath)

/**
 * Returns the user who requested a server action. Unlike `requireUser`, checks that the page was rendered for this user.
 *
 * @param returnPath the path to return to after signing in, if the form was sent without JavaScript
 * @throws {ActionError} if no user is signed in and a script sent the request
 * @throws {OtherUserError} if the page was rendered for a different user
 */
export async function requireActor(right: Right, returnPath: string): Promise<SessionUser> {
  const [signedInUser, requestHeaders] = await Promise.all([currentUser(), headers()])
  // A redirect would lose the user's input. Without JavaScript, the browser loads a new page anyway, so it is redirected.
  if (!signedInUser && requestHeaders.has('next-action')) throw new ActionError(errorCopy.signedOut)
  const user = checkRight(signedInUser, right, returnPath)
  checkPageUser(requestHeaders, user)
  return user
}

/**
 * Returns the user who made a request from a page's script.
 *
 * @throws {ApiError} if no user is signed in, the page was rendered for a different user, or the user must set up two-factor authentication
 * first or does not have the right
 */
export async function requireCaller(right: Right): Promise<SessionUser> {
  const user = await currentUser()
  if (!user) throw new ApiError('key_missing', requestErrors.signedOut)
  if (namesDifferentUser(await headers(), user.userId))
    throw new ApiError('scope_missing', errorCopy.otherUser(user.sellerName, user.email))
  if (mustSetUpTwoFactor(user)) throw new ApiError('scope_missing', requestErrors.mustSetUpTwoFactor)
  if (!mayUse(user.role, right)) throw new ApiError('scope_missing', requestErrors.forbiddenRole)
  return user
}
