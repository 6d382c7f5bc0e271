/** Signs out. A form, so that it works without JavaScript. */
import { signInCopy } from '../copy/sign-in'
import { signOut } from '../session-actions'

/** @param className the look of the button; without it, a link */
export function SignOut({ className = 'text-quiet text-sm underline-offset-4 hover:underline' }: { className?: string }) {
  return (
    <form action={signOut}>
      <button type="submit" className={className}>
        {signInCopy.signOut}
      </button>
    </form>
  )
}
