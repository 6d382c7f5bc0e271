/** Shows the message of a form or button. Rendered with a message only in the browser. */
import { errorCopy } from '../copy/errors'
import { SignInLink } from './sign-in-link'

/** @param text if the user has been signed out, a link that opens the sign-in page in another tab follows, so that this page stays */
export function ActionMessage({ text }: { text: string | undefined }) {
  if (text !== errorCopy.signedOut) return text
  return (
    <>
      {text} <SignInLink keepsPage />
    </>
  )
}
