'use client'
/** The sign-out button. It submits a form, so that it works without JavaScript. */
import { useTransition } from 'react'
import { signInCopy } from '../copy/sign-in'
import { signOut } from '../session-actions'

/** Deletes the check-in page's ticket list from this browser, but not its unsent scans. The store limits the time that this takes. */
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
          await deleteTicketList().catch(() => {})
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
