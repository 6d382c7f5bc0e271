/** Says that the user has been signed out, for example in another tab, and links to the sign-in page. Rendered only in the browser. */
import { shellCopy } from '../copy/shell'

export function SignedOut() {
  const { pathname, search } = window.location
  return (
    <p role="alert" className="text-bad text-sm">
      {shellCopy.signedOut}{' '}
      <a className="underline underline-offset-4" href={`/sign-in?callbackUrl=${encodeURIComponent(pathname + search)}`}>
        {shellCopy.signIn}
      </a>
    </p>
  )
}
