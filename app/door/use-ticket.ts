/** Loads the open ticket when it is selected and after each change. After a scan, the ticket is taken from the response instead. */
import { useEffect, useRef, useState } from 'react'
import type { TicketDetails } from '@/lib/admission/ticket-details'
import { doorCopy } from '../copy/door'
import { fetchDoor } from './door-client'

export type TicketState = {
  /** Undefined until the ticket is loaded. */
  ticket: TicketDetails | undefined
  /** Why the ticket could not be loaded. If the server did not respond, `ticket` is the version that was loaded before, if any. */
  error: string | undefined
  reload(): void
  /** Shows a ticket that was included in another response. */
  show(ticket: TicketDetails): void
}

type LoadResult = { id: string; ticket?: TicketDetails | undefined; error?: string }

/** Returns the open ticket. @param id its ID; undefined if none is open @param pageId the selected event; empty for all events */
export function useTicket(id: string | undefined, pageId: string): TicketState {
  const [loaded, setLoaded] = useState<LoadResult>()
  const [reloads, setReloads] = useState(0)
  /** The ID of the ticket passed to `show`, which the effect must not load again. */
  const shownId = useRef<string>(undefined)
  // `reloads` is a dependency: changing it loads the ticket again.
  useEffect(() => {
    if (id === undefined || reloads < 0) return
    const isLoaded = shownId.current === id
    shownId.current = undefined
    if (isLoaded) return
    const abort = new AbortController()
    void fetchDoor<TicketDetails>('/door/ticket', { id, pageId }, abort.signal).then((result) => {
      if (abort.signal.aborted) return
      if (result.outcome === 'ok') setLoaded({ id, ticket: result.data })
      else {
        const error = result.outcome === 'refused' ? result.message : doorCopy.openOffline
        // Without a connection, the ticket stays open, so that what the user has typed is kept. If the server refuses, the ticket may be
        // gone, or this device may no longer be allowed to see it.
        const mayKeep = result.outcome === 'offline'
        setLoaded((before) => ({ id, ticket: mayKeep && before?.id === id ? before.ticket : undefined, error }))
      }
    })
    return () => abort.abort()
  }, [id, pageId, reloads])
  const current = loaded?.id === id ? loaded : undefined
  const reload = () => setReloads((before) => before + 1)
  return {
    ticket: current?.ticket,
    error: current?.error,
    reload,
    show(ticket) {
      shownId.current = ticket.guest.id
      setLoaded({ id: ticket.guest.id, ticket })
      reload()
    },
  }
}
