/** The sign-out button. It submits a form, so that it works without JavaScript. */
import { signInCopy } from '../copy/sign-in'
import { signOut } from '../session-actions'

export function SignOut({ className }: { className: string }) {
  return (
    <form action={signOut}>
      <button type="submit" className={className}>
        {signInCopy.signOut}
      </button>
    </form>
  )
}
