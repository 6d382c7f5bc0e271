/** The sign-out button. It submits a form, so that it works without JavaScript. */
import { signInCopy } from '../copy/sign-in'
import { signOut } from '../session-actions'

/** @param className the button's classes; by default, it looks like a link */
export function SignOut({ className = 'text-quiet text-sm underline-offset-4 hover:underline' }: { className?: string }) {
  return (
    <form action={signOut}>
      <button type="submit" className={className}>
        {signInCopy.signOut}
      </button>
    </form>
  )
}
