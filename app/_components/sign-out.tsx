/** Signs out. A form, so that it works without JavaScript. */
import { signInCopy } from '../copy/sign-in'
import { signOut } from '../session-actions'

export function SignOut({ className = '' }: { className?: string }) {
  return (
    <form action={signOut} className={className}>
      <button type="submit" className="text-quiet text-sm underline-offset-4 hover:underline">
        {signInCopy.signOut}
      </button>
    </form>
  )
}
