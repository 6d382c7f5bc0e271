'use client'
/** A button that makes a change immediately, without a confirmation dialog. */
import { useTransition } from 'react'
import { useAnnounce } from '@/app/_components/announcer'
import { PendingButton } from '@/app/_components/pending-button'
import { toActionMessage } from '@/app/action-error'

type Props = {
  label: string
  /** Distinguishes buttons that have the same label. */
  accessibleName?: string | undefined
  /** Resolves with the message to show. */
  action: () => Promise<string>
}

export function ActionButton({ label, accessibleName, action }: Props) {
  const announce = useAnnounce()
  const [pending, start] = useTransition()
  const onClick = () =>
    start(async () => {
      await action().then(announce, (error: unknown) => announce(toActionMessage(error), { isError: true }))
    })
  return (
    <PendingButton className="button" aria-label={accessibleName} pending={pending} onClick={onClick}>
      {label}
    </PendingButton>
  )
}
