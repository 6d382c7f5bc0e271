'use client'
/** A button with the box that it opens. What boxes are made of is fetched when one is first wanted: a page is there without it. */
import { Plus } from 'lucide-react'
import { lazy, type ReactNode, type RefObject, Suspense, useEffect, useRef, useState } from 'react'
import { settingsWords as words } from '@/app/copy/settings'

const loadDialog = () => import('@/app/_components/dialog')
const loadConfirm = () => import('@/app/_components/confirm')

const Dialog = lazy(() => loadDialog().then((loaded) => ({ default: loaded.Dialog })))
const Confirm = lazy(() => loadConfirm().then((loaded) => ({ default: loaded.Confirm })))

type Opener = {
  label: string
  /** Where several buttons have one label: which one this is. */
  labelOf?: string
  /** The one thing that the page is for. */
  isMain?: boolean
}

type ButtonProps = Opener & {
  button: RefObject<HTMLButtonElement | null>
  load: () => Promise<unknown>
  onOpen: () => void
  isOpen: boolean
}

/** The button that gets the focus back when its box closes; what had it before may be a field of the box that is gone. */
function useReturn(open: boolean) {
  const button = useRef<HTMLButtonElement>(null)
  const wasOpen = useRef(false)
  useEffect(() => {
    if (wasOpen.current && !open) button.current?.focus()
    wasOpen.current = open
  }, [open])
  return button
}

function OpenButton({ label, labelOf, isMain = false, button, load, onOpen, isOpen }: ButtonProps) {
  const fetchAhead = () => void load()
  return (
    <button
      ref={button}
      type="button"
      className={isMain ? 'button-primary' : 'button'}
      aria-label={labelOf}
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

type BoxProps = Opener & {
  title: string
  description?: string | undefined
  open: boolean
  onOpenChange: (open: boolean) => void
  children: ReactNode
}

export function Box({ title, description, open, onOpenChange, children, ...opener }: BoxProps) {
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
            close={words.close}
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

type QuestionProps = Opener & { title: string; description: string; yes: string; onConfirm: () => Promise<string | undefined> }

/** A change that is asked about once more. @see Confirm */
export function Question({ title, description, yes, onConfirm, ...opener }: QuestionProps) {
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
            no={words.cancel}
            open={open}
            onOpenChange={setOpen}
            onConfirm={onConfirm}
          />
        </Suspense>
      ) : null}
    </>
  )
}
