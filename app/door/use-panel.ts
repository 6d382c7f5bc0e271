/** The side panel of the check-in page, a sheet on phones: what it shows, whether the sheet is open, and where the focus returns to. */
import { type RefObject, useRef, useState } from 'react'
import { readyField } from './focus'
import type { PanelView } from './panel-content'

export type Panel = {
  /** Undefined if there is nothing to show. */
  view: PanelView | { view: 'list' } | undefined
  /** Whether the sheet is open. On wide screens, the panel is always visible. */
  isRaised: boolean
  /** Changes what the panel shows. Does not open the sheet. */
  show(view: Panel['view']): void
  /** Shows the ticket of a scan. Does not open the sheet. */
  showTicket(id: string): void
  /** Shows what the user opened. Opens the sheet. */
  raise(view: NonNullable<Panel['view']>): void
  /** Closes the sheet. If it contains the focus, moves the focus to the code field. */
  lower(): void
  /** Closes the panel. The focus returns to where it was before the panel was opened. */
  close(): void
}

/** Returns the state of the side panel. @param field the code field */
export function usePanel(field: RefObject<HTMLInputElement | null>): Panel {
  const [view, show] = useState<Panel['view']>()
  const [isRaised, setRaised] = useState(false)
  const opener = useRef<Element>(null)

  function raise(next: NonNullable<Panel['view']>) {
    // If the sheet is already open, the focus will still return to where it was when the sheet was opened.
    if (!isRaised) opener.current = document.activeElement
    show(next)
    setRaised(true)
  }

  function showTicket(id: string) {
    show((before) => ({ view: 'ticket', id, from: before?.view === 'ticket' && before.id === id ? before.from : undefined }))
  }

  function lower() {
    if (document.activeElement?.closest('[data-side-panel]')) readyField(field.current)
    setRaised(false)
  }

  function close() {
    setRaised(false)
    show(undefined)
    const back = opener.current
    if (back instanceof HTMLElement && back.isConnected && back !== document.body) back.focus()
    else readyField(field.current)
  }

  return { view, isRaised, show, showTicket, raise, lower, close }
}
