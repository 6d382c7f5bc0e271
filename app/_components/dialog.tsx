'use client'
/** A modal dialog. Focus moves into it, stays inside, and returns to the previous element when the dialog closes. */
import { Dialog as Base } from '@base-ui/react/dialog'
import { type ReactNode, useRef, useState } from 'react'
import { dialogCopy } from '../copy/dialog'
import { formCopy } from '../copy/form'
import { Icon } from './icon'

type Props = {
  title: string
  /** Shown below the title. Screen readers announce it after the title. */
  description?: string | undefined
  /** Whether only the buttons in the content close the dialog, which then has no close button and ignores Escape and clicks outside. */
  isLocked?: boolean
  open: boolean
  onOpenChange: (open: boolean) => void
  children: ReactNode
}

export function Dialog({ title, description, isLocked = false, open, onOpenChange, children }: Props) {
  const popup = useRef<HTMLDivElement>(null)
  const hasChanges = useRef(false)
  const [isWarned, setWarned] = useState(false)
  // On touch devices, focusing the first field would open the on-screen keyboard. With `true`, Base UI focuses the close button instead.
  const firstField = () =>
    (window.matchMedia('(pointer: fine)').matches &&
      popup.current?.querySelector<HTMLElement>('input:not([type=hidden]), select, textarea')) ||
    true
  // The dialog stays open while a form's change is pending. Otherwise, its result or error would be lost.
  const isPending = () => Boolean(popup.current?.querySelector('[type=submit][aria-disabled=true]'))
  function setChanged(isChanged: boolean) {
    hasChanges.current = isChanged
    setWarned(false)
  }
  return (
    <Base.Root
      open={open}
      onOpenChange={(next, details) => {
        // Clicking outside the dialog does not discard what the user has entered. Escape does so only after a warning.
        const isKeyRepeat = 'repeat' in details.event && details.event.repeat
        const isAccidental = details.reason === 'outside-press' || (details.reason === 'escape-key' && (!isWarned || isKeyRepeat))
        if (!next && (isLocked || isPending())) details.cancel()
        else if (!next && isAccidental && hasChanges.current) {
          details.cancel()
          setWarned(true)
        } else onOpenChange(next)
      }}
      onOpenChangeComplete={(isOpen) => isOpen || setChanged(false)}
    >
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-20 bg-black/40 transition-opacity duration-150 data-ending-style:opacity-0 data-starting-style:opacity-0" />
        <Base.Popup
          ref={popup}
          initialFocus={firstField}
          onInput={() => setChanged(true)}
          onSubmit={() => setWarned(false)}
          className="fixed top-1/2 left-1/2 z-30 flex max-h-[calc(100dvh-2rem)] w-[32rem] max-w-[calc(100vw-2rem)] -translate-x-1/2 -translate-y-1/2 flex-col overflow-y-auto break-words rounded-xl border border-line bg-card p-5 shadow-xl transition-[scale,opacity] duration-150 data-closed:pointer-events-none data-ending-style:scale-98 data-starting-style:scale-98 data-ending-style:opacity-0 data-starting-style:opacity-0"
        >
          <p
            role="alert"
            className="sticky -top-5 z-[1] -mx-5 -mt-5 mb-4 rounded-t-xl bg-warn-soft px-5 py-2.5 text-sm text-warn empty:hidden"
          >
            {isWarned && !isLocked ? formCopy.unsaved : null}
          </p>
          <div className="flex items-start gap-4">
            <Base.Title className="font-semibold text-lg tracking-tight">{title}</Base.Title>
            {isLocked ? null : (
              <Base.Close
                aria-label={dialogCopy.close}
                className="-mt-1 -mr-1 ml-auto rounded-md p-1.5 text-quiet hover:bg-hover hover:text-ink"
              >
                <Icon name="close" size={18} />
              </Base.Close>
            )}
          </div>
          {description ? <Base.Description className="mt-1 text-quiet text-sm">{description}</Base.Description> : null}
          <div className="mt-4">{children}</div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}
