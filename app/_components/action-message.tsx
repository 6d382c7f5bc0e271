/** Shows a message next to a form or button. The server never renders the signed-out message, so its link can use `window`. */
import { errorCopy } from '../copy/errors'

/** If the user has been signed out, adds a link that opens the sign-in page in another tab, so that this page keeps the user's input. */
export function ActionMessage({ text }: { text: string | undefined }) {
  if (text !== errorCopy.signedOut) return text
  const { pathname, search } = window.location
  return (
    <>
      {text}{' '}
      <a
        className="underline underline-offset-4"
        href={`/sign-in?callbackUrl=${encodeURIComponent(pathname + search)}`}
        target="_blank"
        rel="noreferrer"
      >
        {errorCopy.signIn}
      </a>
    </>
  )
}
