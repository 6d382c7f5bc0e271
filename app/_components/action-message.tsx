/** Shows a message next to a form or button. The server renders it only without a message. */
import { errorCopy } from '../copy/errors'

/**
 * A link to the sign-in page, which then returns to this page. Rendered only in the browser.
 *
 * @param keepsPage whether the sign-in page opens in another tab, so that this page keeps what the user has entered
 */
export function SignInLink({ keepsPage }: { keepsPage: boolean }) {
  const { pathname, search } = window.location
  return (
    <a
      className="underline underline-offset-4"
      href={`/sign-in?callbackUrl=${encodeURIComponent(pathname + search)}`}
      target={keepsPage ? '_blank' : undefined}
      rel="noreferrer"
    >
      {errorCopy.signIn}
    </a>
  )
}

/** If the user has been signed out, adds a link that opens the sign-in page in another tab, so that this page keeps the user's input. */
export function ActionMessage({ text }: { text: string | undefined }) {
  if (text !== errorCopy.signedOut) return text
  return (
    <>
      {text} <SignInLink keepsPage />
    </>
  )
}
