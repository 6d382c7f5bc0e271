'use client'
/** A button that asks for confirmation before it makes a change. The dialog is lazy-loaded to keep it out of the initial page load. */
import { useState } from 'react'
import { useAnnounce } from './announcer'
import { OpenButton, type OpenerProps, useReturnFocus } from './dialog-button'
import { onDemand } from './on-demand'

const Confirm = onDemand(() => import('./confirm').then((module) => module.Confirm))

type ConfirmButtonProps = OpenerProps & {
  title: string
  description: string
  /** The label of the button in the dialog. If omitted, the label of the button that opens it. */
  confirmLabel?: string
  successMessage: string
  /** The curl command for the equivalent API request. */
  request?: string
  /** Resolves with an error message on failure. */
  action: () => Promise<string | undefined>
}

export function ConfirmButton({ title, description, confirmLabel, successMessage, request, action, ...opener }: ConfirmButtonProps) {
  const announce = useAnnounce()
  const [hasOpened, setHasOpened] = useState(false)
  const [open, setOpen] = useState(false)
  const button = useReturnFocus(open)
  function onOpen() {
    setHasOpened(true)
    setOpen(true)
  }
  async function onConfirm() {
    const message = await action()
    if (message === undefined) announce(successMessage)
    return message
  }
  return (
    <>
      <OpenButton {...opener} button={button} load={Confirm.load} onOpen={onOpen} isOpen={open} />
      {hasOpened ? (
        <Confirm
          title={title}
          description={description}
          confirmLabel={confirmLabel ?? opener.label}
          open={open}
          onOpenChange={setOpen}
          onConfirm={onConfirm}
          request={request}
        />
      ) : null}
    </>
  )
}
