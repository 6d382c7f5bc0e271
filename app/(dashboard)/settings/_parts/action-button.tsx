'use client'
/** A button that makes a change immediately, without a confirmation dialog. */
import { useTransition } from 'react'
import { useAnnounce } from '@/app/_components/announcer'
import { PendingButton } from '@/app/_components/pending-button'
import { toActionMessage } from '@/app/action-error'

/** The message about an action's result. */
export type ActionResult = { text: string; isError?: boolean }

/** @param error undefined if the action succeeded */
export const toActionResult = (error: string | undefined, successMessage: string): ActionResult =>
  error === undefined ? { text: successMessage } : { text: error, isError: true }

type Props = {
  label: string
  /** Distinguishes buttons with the same label. */
  accessibleName?: string | undefined
  action: () => Promise<ActionResult>
}

export function ActionButton({ label, accessibleName, action }: Props) {
  const announce = useAnnounce()
  const [pending, start] = useTransition()
  const onClick = () =>
    start(async () => {
      const { text, ...options } = await action().catch((error: unknown) => ({ text: toActionMessage(error), isError: true }))
      announce(text, options)
    })
  return (
    <PendingButton className="button" aria-label={accessibleName} pending={pending} onClick={onClick}>
      {label}
    </PendingButton>
  )
}
