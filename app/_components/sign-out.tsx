/** Ends the session, here and on the server. A form: it works without script. */

import { signInWords } from '../copy/sign-in'
import { signOut } from '../session-actions'

export function SignOut({ className = '' }: { className?: string }) {
  return (
    <form action={signOut} className={className}>
      <button type="submit" className="text-quiet text-sm underline-offset-4 hover:underline">
        {signInWords.signOut}
      </button>
    </form>
  )
}
