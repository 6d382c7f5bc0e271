'use client'
/** The sign-out button. It submits a form, so that it works without JavaScript. */
import { useTransition } from 'react'
import { signInCopy } from '../copy/sign-in'
import { signOut } from '../session-actions'

/** How long signing out waits until the ticket list is deleted, in milliseconds. Loading the code may take long. */
const DELETE_TIMEOUT_MS = 5_000

/** Deletes the check-in page's ticket list from this browser, but not its unsent scans. */
async function deleteTicketList(): Promise<void> {
  const { openStore } = await import('../door/offline/store')
  await (await openStore()).wipeList()
}

export function SignOut({ className }: { className: string }) {
  const [, startTransition] = useTransition()
  return (
    <form
      action={signOut}
      onSubmit={(event) => {
        event.preventDefault()
        startTransition(async () => {
          // If the list cannot be deleted, it is still encrypted.
          await Promise.race([deleteTicketList().catch(() => {}), new Promise((resolve) => setTimeout(resolve, DELETE_TIMEOUT_MS))])
          await signOut()
        })
      }}
    >
      <button type="submit" className={className}>
        {signInCopy.signOut}
      </button>
    </form>
  )
}
