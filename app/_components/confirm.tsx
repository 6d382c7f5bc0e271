'use client'
/** A confirmation dialog. It explains the action and runs it only after the user confirms. */
import { AlertDialog } from '@base-ui/react/alert-dialog'
import { useRef, useState, useTransition } from 'react'
import { toActionMessage } from '../action-error'
import { dialogCopy } from '../copy/dialog'
import { ActionMessage } from './action-message'
import { CopyRequest } from './copy-request'
import { PendingButton } from './pending-button'

type Props = {
  open: boolean
  onOpenChange: (open: boolean) => void
  title: string
  /** What will happen, as a sentence. */
  description: string
  /** The confirm button's label. */
  confirmLabel: string
  /** Resolves with an error message if the action failed. The dialog then stays open and shows the message. */
  onConfirm: () => Promise<string | undefined>
  /** The curl command for the equivalent API request. */
  request?: string | undefined
}

export function Confirm({ open, onOpenChange, title, description, confirmLabel, onConfirm, request }: Props) {
  const [pending, startTransition] = useTransition()
  const [error, setError] = useState<string>()
  const cancel = useRef<HTMLButtonElement>(null)

  // In a transition, so that errors without a message for the user reach the error page.
  const confirm = () =>
    startTransition(async () => {
      const message = await onConfirm().catch(toActionMessage)
      setError(message)
      if (message === undefined) onOpenChange(false)
    })

  return (
    // The dialog stays open while the action is pending. Otherwise, an error message would be lost.
    <AlertDialog.Root
      open={open}
      onOpenChange={(next, details) => (pending ? details.cancel() : onOpenChange(next))}
      // Only once the dialog has faded out, because until then it still shows the message.
      onOpenChangeComplete={(isOpen) => isOpen || setError(undefined)}
    >
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="fixed inset-0 z-20 bg-black/40 transition-opacity duration-150 data-ending-style:opacity-0 data-starting-style:opacity-0" />
        <AlertDialog.Popup
          initialFocus={cancel}
          className="fixed top-1/2 left-1/2 z-30 flex max-h-[calc(100dvh-2rem)] w-[26rem] max-w-[calc(100vw-2rem)] -translate-x-1/2 -translate-y-1/2 flex-col overflow-y-auto break-words rounded-xl border border-line bg-card p-5 shadow-xl transition-[scale,opacity] duration-150 data-closed:pointer-events-none data-ending-style:scale-98 data-starting-style:scale-98 data-ending-style:opacity-0 data-starting-style:opacity-0"
        >
          <AlertDialog.Title className="font-semibold text-lg tracking-tight">{title}</AlertDialog.Title>
          <AlertDialog.Description className="mt-1 text-quiet text-sm">{description}</AlertDialog.Description>
          {request === undefined ? null : (
            <div className="mt-4">
              <CopyRequest command={request} />
            </div>
          )}
          <p role="alert" className="mt-2 min-h-5 text-bad text-sm">
            <ActionMessage text={error} />
          </p>
          <div className="mt-2 flex justify-end gap-2">
            <AlertDialog.Close ref={cancel} className="button">
              {dialogCopy.cancel}
            </AlertDialog.Close>
            <PendingButton className="button-danger" pending={pending} onClick={confirm}>
              {confirmLabel}
            </PendingButton>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}
