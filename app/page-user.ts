/** The user for whom a page was rendered. Another user can have signed in since, in another tab of the same browser. */
import { ActionError } from './action-error'
import { errorCopy } from './copy/errors'

/** The header in which a page's script sends the page's user. A form submitted without JavaScript has a parameter of this name. */
export const PAGE_USER = 'desk-page-user'

/** Thrown if a page was rendered for another user than the one who is now signed in. */
export class OtherUserError extends ActionError {
  constructor({ email, sellerName }: { email: string; sellerName: string }) {
    super(errorCopy.otherUser(sellerName, email))
  }
}

/** Returns whether a request names another user than the one who is signed in. */
export const namesOtherUser = (headers: Pick<Headers, 'get'>, userId: string): boolean => (headers.get(PAGE_USER) ?? userId) !== userId

/**
 * Checks the page's user of a server action.
 *
 * @throws {OtherUserError} if the page was rendered for another user, or does not name its user
 */
export function checkPageUser(headers: Pick<Headers, 'get'>, user: { userId: string; email: string; sellerName: string }): void {
  if (headers.get(PAGE_USER) !== user.userId) throw new OtherUserError(user)
}

/**
 * Returns a `fetch` that adds the page's user to all requests that change something.
 *
 * @param findUser returns the ID of the page's user; undefined on pages for visitors
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
