'use client'
/** A button that opens a form in a dialog. The dialog closes after the change has been made. */
import { type ReactNode, useState } from 'react'
import { useAnnounce } from './announcer'
import { DialogButton, type OpenerProps } from './dialog-button'
import type { Load } from './on-demand'

type FormDialogProps = OpenerProps & {
  title: string
  description?: string
  /** Loads the form's code, if it is lazy-loaded. */
  loadContent?: Load
  /** Renders the form, which calls `onSuccess` with the message to show. */
  children: (onSuccess: (message: string) => void) => ReactNode
}

export function FormDialog({ children, ...props }: FormDialogProps) {
  const [open, setOpen] = useState(false)
  const announce = useAnnounce()
  function onSuccess(message: string) {
    setOpen(false)
    announce(message)
  }
  return (
    <DialogButton {...props} open={open} onOpenChange={setOpen}>
      {children(onSuccess)}
    </DialogButton>
  )
}
