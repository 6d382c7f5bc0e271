'use client'
/** A button that opens a dialog. The dialog is lazy-loaded to keep it out of the initial page load. */
import { type ReactNode, type RefObject, useEffect, useEffectEvent, useRef, useState } from 'react'
import { Icon } from './icon'
import { type Load, loadAll, loadOrWarn, onDemand } from './on-demand'

const Dialog = onDemand(() => import('./dialog').then((module) => module.Dialog))

/** The props of the button that opens a dialog. */
export type OpenerProps = {
  label: string
  /** Distinguishes buttons with the same label. */
  accessibleName?: string
  /** Whether this is the page's primary action. */
  isMain?: boolean
}

type ButtonProps = OpenerProps & {
  button: RefObject<HTMLButtonElement | null>
  /** Loads the dialog's code. */
  load: Load
  /** Called once the code is loaded. */
  onOpen: () => void
  isOpen: boolean
}

/**
 * Returns a ref for a button that opens a dialog. The button regains the focus as soon as the dialog closes. Base UI returns the focus only
 * once the dialog has faded out. Until then, Enter would submit the form again.
 */
export function useReturnFocus(open: boolean) {
  const button = useRef<HTMLButtonElement>(null)
  const wasOpen = useRef(false)
  useEffect(() => {
    if (wasOpen.current && !open) button.current?.focus()
    wasOpen.current = open
  }, [open])
  return button
}

export function OpenButton({ label, accessibleName, isMain = false, button, load, onOpen, isOpen }: ButtonProps) {
  return (
    // The button submits a form, because React replays submissions that happen before hydration, but not clicks.
    <form action={() => void loadOrWarn(load).then((isLoaded) => isLoaded && onOpen())} className="contents">
      <button
        ref={button}
        type="submit"
        className={isMain ? 'button-primary' : 'button'}
        aria-label={accessibleName}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onPointerEnter={load}
        onFocus={load}
      >
        {isMain ? <Icon name="plus" size={16} /> : null}
        {label}
      </button>
    </form>
  )
}

type DialogButtonProps = OpenerProps & {
  title: string
  description?: string | undefined
  /** Whether the dialog can be closed only with the buttons in its content. */
  isLocked?: boolean
  open: boolean
  onOpenChange: (open: boolean) => void
  /** Loads the content's code, if it is lazy-loaded. */
  loadContent?: Load
  children: ReactNode
}

/** A button that opens a dialog with any content. The caller keeps the `open` state. */
export function DialogButton({
  title,
  description,
  isLocked = false,
  open,
  onOpenChange,
  loadContent,
  children,
  ...opener
}: DialogButtonProps) {
  const [hasOpened, setHasOpened] = useState(false)
  const button = useReturnFocus(open)
  const load = () => loadAll(loadContent ? [Dialog.load, loadContent] : [Dialog.load])
  function onOpen() {
    setHasOpened(true)
    onOpenChange(true)
  }
  // The command palette links to `#new` to open the dialog of a page's primary action.
  const openByHash = useEffectEvent(() => {
    if (!opener.isMain || window.location.hash !== '#new') return
    window.history.replaceState(window.history.state, '', window.location.pathname + window.location.search)
    void loadOrWarn(load).then((isLoaded) => isLoaded && onOpen())
  })
  useEffect(() => {
    openByHash()
    window.addEventListener('hashchange', openByHash)
    return () => window.removeEventListener('hashchange', openByHash)
  }, [])
  return (
    <>
      <OpenButton {...opener} button={button} load={load} onOpen={onOpen} isOpen={open} />
      {hasOpened ? (
        <Dialog title={title} description={description} isLocked={isLocked} open={open} onOpenChange={onOpenChange}>
          {children}
        </Dialog>
      ) : null}
    </>
  )
}
