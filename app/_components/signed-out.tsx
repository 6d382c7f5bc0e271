/**
 * An alert that the user has been signed out, for example in another tab, with a link to the sign-in page. Rendered only in the browser.
 */
import { errorCopy } from '../copy/errors'
import { ActionMessage } from './action-message'

export const SignedOut = () => (
  <p role="alert" className="text-bad text-sm">
    <ActionMessage text={errorCopy.signedOut} />
  </p>
)
