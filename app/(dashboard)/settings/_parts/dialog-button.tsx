'use client'
/** A button that opens a dialog. The dialog's code is loaded on first use, to keep it out of the initial page load. */
import { Plus } from 'lucide-react'
import { lazy, type ReactNode, type RefObject, Suspense, useEffect, useRef, useState } from 'react'
import { settingsCopy as copy } from '@/app/copy/settings'

const loadDialog = () => import('@/app/_components/dialog')
const loadConfirm = () => import('@/app/_components/confirm')

const Dialog = lazy(() => loadDialog().then((loaded) => ({ default: loaded.Dialog })))
const Confirm = lazy(() => loadConfirm().then((loaded) => ({ default: loaded.Confirm })))

type Opener = {
  label: string
  /** Distinguishes buttons that have the same label. */
  accessibleName?: string
  /** Whether this is the page's primary action. */
  isMain?: boolean
}

type ButtonProps = Opener & {
  button: RefObject<HTMLButtonElement | null>
  load: () => Promise<unknown>
  onOpen: () => void
  isOpen: boolean
}

/** Returns a ref to the button, which regains focus when its dialog closes. */
function useReturn(open: boolean) {
  const button = useRef<HTMLButtonElement>(null)
  const wasOpen = useRef(false)
  useEffect(() => {
    if (wasOpen.current && !open) button.current?.focus()
    wasOpen.current = open
  }, [open])
  return button
}

function OpenButton({ label, accessibleName, isMain = false, button, load, onOpen, isOpen }: ButtonProps) {
  const fetchAhead = () => void load()
  return (
    <button
      ref={button}
      type="button"
      className={isMain ? 'button-primary' : 'button'}
      aria-label={accessibleName}
      aria-haspopup="dialog"
      aria-expanded={isOpen}
      onPointerEnter={fetchAhead}
      onFocus={fetchAhead}
      onClick={onOpen}
    >
      {isMain ? <Plus aria-hidden size={16} /> : null}
      {label}
    </button>
  )
}

type DialogButtonProps = Opener & {
  title: string
  description?: string | undefined
  open: boolean
  onOpenChange: (open: boolean) => void
  children: ReactNode
}

export function DialogButton({ title, description, open, onOpenChange, children, ...opener }: DialogButtonProps) {
  const [wanted, setWanted] = useState(false)
  const button = useReturn(open)
  function onOpen() {
    setWanted(true)
    onOpenChange(true)
  }
  return (
    <>
      <OpenButton {...opener} button={button} load={loadDialog} onOpen={onOpen} isOpen={open} />
      {wanted ? (
        <Suspense>
          <Dialog
            title={title}
            {...(description === undefined ? {} : { description })}
            close={copy.close}
            open={open}
            onOpenChange={onOpenChange}
          >
            {children}
          </Dialog>
        </Suspense>
      ) : null}
    </>
  )
}

type ConfirmButtonProps = Opener & { title: string; description: string; yes: string; onConfirm: () => Promise<string | undefined> }

/** A button that asks for confirmation first. @see Confirm */
export function ConfirmButton({ title, description, yes, onConfirm, ...opener }: ConfirmButtonProps) {
  const [wanted, setWanted] = useState(false)
  const [open, setOpen] = useState(false)
  const button = useReturn(open)
  function onOpen() {
    setWanted(true)
    setOpen(true)
  }
  return (
    <>
      <OpenButton {...opener} button={button} load={loadConfirm} onOpen={onOpen} isOpen={open} />
      {wanted ? (
        <Suspense>
          <Confirm
            title={title}
            description={description}
            yes={yes}
            no={copy.cancel}
            open={open}
            onOpenChange={setOpen}
            onConfirm={onConfirm}
          />
        </Suspense>
      ) : null}
    </>
  )
}
