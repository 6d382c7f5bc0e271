'use client'
/** The sign-out button. It is a form's submit button, so that it works without JavaScript. */
import { useState } from 'react'
import { signInCopy } from '../copy/sign-in'
import { signOut } from '../session-actions'

/** How long the sign-in page waits until the ticket list is deleted, in milliseconds. Loading the code may take long. */
const DELETE_TIMEOUT_MS = 5_000

/** Deletes the check-in page's ticket list from this browser, but not its unsent scans. */
async function deleteTicketList(): Promise<void> {
  const { openStore } = await import('../door/offline/store')
  await (await openStore()).wipeList()
}

/**
 * Signs the user out, and then deletes the ticket list, which a user needs as long as they are signed in. Leaves the page last, because
 * leaving it would abort the deletion. Returns an error message if signing out fails.
 */
async function leave(): Promise<string | undefined> {
  if (!navigator.onLine) return signInCopy.signOutOffline
  const doorClient = await import('../door/door-client')
  if (!(await doorClient.signOut())) return signInCopy.signOutError
  // If the list cannot be deleted, it is still encrypted.
  await Promise.race([deleteTicketList().catch(() => {}), new Promise((resolve) => setTimeout(resolve, DELETE_TIMEOUT_MS))])
  window.location.assign('/sign-in')
  return undefined
}

export function SignOut({ className }: { className: string }) {
  const [error, setError] = useState<string>()
  return (
    <form
      action={signOut}
      onSubmit={(event) => {
        event.preventDefault()
        setError(undefined)
        void leave()
          .catch(() => signInCopy.signOutError)
          .then(setError)
      }}
    >
      <button type="submit" className={className}>
        {signInCopy.signOut}
      </button>
      <p role="alert" className="px-2.5 py-1 text-bad empty:hidden">
        {error}
      </p>
    </form>
  )
}
