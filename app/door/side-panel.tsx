/**
 * The panel for the guest search, a ticket, the recent scans or the menu: next to the scanner on wide screens, a bottom sheet on phones.
 * It is not modal: scanning continues, and each scan replaces the ticket in the panel.
 */
import { ArrowLeft, X } from 'lucide-react'
import { type ReactNode, useEffect, useRef } from 'react'
import { doorCopy } from '../copy/door'
import { keepFocus } from './focus'

type Props = {
  title: string
  /** The label of the button that goes back. */
  backLabel?: string | undefined
  /** Whether the bottom sheet is open. Has no effect on wide screens. */
  isRaised: boolean
  onClose: () => void
  /** Goes back to the search results or the list; undefined if the ticket was not opened from there. */
  onBack?: (() => void) | undefined
  children: ReactNode
}

export function SidePanel({ title, isRaised, onClose, onBack, backLabel, children }: Props) {
  const panel = useRef<HTMLElement>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  // Moves the focus into the opened sheet, for screen readers, unless one of its elements already has it.
  useEffect(() => {
    if (isRaised && !panel.current?.contains(document.activeElement)) heading.current?.focus()
  }, [isRaised])
  // Many actions remove the button that started them: opening a guest, removing a note, checking in an order.
  useEffect(() => (panel.current ? keepFocus(panel.current, () => heading.current?.focus()) : undefined), [])

  return (
    <section
      ref={panel}
      aria-labelledby="side-panel-title"
      data-side-panel={isRaised ? 'raised' : 'lowered'}
      className={`rounded-xl border border-line bg-card p-4 max-lg:fixed max-lg:inset-x-0 max-lg:bottom-0 max-lg:z-10 max-lg:max-h-[80dvh] max-lg:overflow-y-auto max-lg:rounded-b-none max-lg:pb-[max(1rem,env(safe-area-inset-bottom))] max-lg:shadow-xl ${isRaised ? '' : 'max-lg:hidden'}`}
      onKeyDown={({ key }) => key === 'Escape' && onClose()}
    >
      <div className="-mx-4 -mt-4 flex items-start gap-2 bg-card px-4 pt-4 pb-3 max-lg:sticky max-lg:-top-4 max-lg:z-10 rounded-t-xl">
        {onBack ? (
          <button
            type="button"
            aria-label={backLabel}
            className="-my-4 -ml-4 flex size-16 shrink-0 items-center justify-center rounded-md hover:bg-hover"
            onClick={onBack}
          >
            <ArrowLeft aria-hidden size={24} />
          </button>
        ) : null}
        <h2 ref={heading} id="side-panel-title" tabIndex={-1} className="wrap-anywhere font-semibold text-xl leading-snug tracking-tight">
          {title}
        </h2>
        <button
          type="button"
          aria-label={doorCopy.closeTicketPanel}
          className="-my-4 -mr-4 ml-auto flex size-16 shrink-0 items-center justify-center rounded-md text-quiet hover:bg-hover hover:text-ink"
          onClick={onClose}
        >
          <X aria-hidden size={24} />
        </button>
      </div>
      {children}
    </section>
  )
}
