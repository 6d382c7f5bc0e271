/** The user that a page was rendered for. A different user may have signed in since, in another tab of the same browser. */
import { ActionError } from './action-error'
import { errorCopy } from './copy/errors'

/** The header with the ID of the page's user, sent by the page's scripts. Forms without JavaScript send a query parameter. */
export const PAGE_USER = 'desk-page-user'

/** Thrown if an action's page was not rendered for the signed-in user, or the request does not name the page's user. */
export class OtherUserError extends ActionError {
  constructor({ email, sellerName }: { email: string; sellerName: string }) {
    super(errorCopy.otherUser(sellerName, email))
  }
}

/** Returns whether a request names a user other than the signed-in one. */
export const namesDifferentUser = (headers: Pick<Headers, 'get'>, userId: string): boolean => (headers.get(PAGE_USER) ?? userId) !== userId

/**
 * Checks that a server action was sent from a page rendered for the signed-in user.
 *
 * @throws {OtherUserError} if the request names a different user or none
 */
export function checkPageUser(headers: Pick<Headers, 'get'>, user: { userId: string; email: string; sellerName: string }): void {
  if (headers.get(PAGE_USER) !== user.userId) throw new OtherUserError(user)
}

/**
 * Returns a `fetch` that adds the header with the page's user to all requests whose `init.method` is not `GET`.
 *
 * @param findUser returns the ID of the page's user, or undefined on pages that do not require signing in
 */
export const withPageUser =
  (send: typeof fetch, findUser: () => string | undefined): typeof fetch =>
  (input, init) => {
    const user = (init?.method ?? 'GET') === 'GET' ? undefined : findUser()
    if (user === undefined) return send(input, init)
    const headers = new Headers(init?.headers)
    headers.set(PAGE_USER, user)
    return send(input, { ...init, headers })
  }
