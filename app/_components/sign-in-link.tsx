/** A link to the sign-in page, which then returns to this page. Rendered only in the browser. */
import { errorCopy } from '../copy/errors'

/** @param keepsPage whether the sign-in page opens in another tab, so that this page keeps what the user has entered */
export function SignInLink({ keepsPage = false }: { keepsPage?: boolean }) {
  const { pathname, search } = window.location
  return (
    <a
      className="underline underline-offset-4"
      href={`/sign-in?callbackUrl=${encodeURIComponent(pathname + search)}`}
      {...(keepsPage ? { target: '_blank', rel: 'noreferrer' } : {})}
    >
      {errorCopy.signIn}
    </a>
  )
}
