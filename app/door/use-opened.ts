/** The open ticket: loaded when it is chosen, and again after a change; a scan's answer brings its own. */
import { useEffect, useRef, useState } from 'react'
import type { OpenedTicket } from '@/lib/admission/open-ticket'
import { doorWords } from '../copy/door'
import { readDoor } from './send'

export type Opened = {
  /** Undefined until it is loaded; never another ticket's. */
  ticket: OpenedTicket | undefined
  /** Why it could not be opened, for a person. */
  trouble: string | undefined
  reload(): void
  /** Shows a ticket that has just been read. */
  show(ticket: OpenedTicket): void
}

type Loaded = { id: string; ticket?: OpenedTicket; trouble?: string }

export function useOpened(id: string | undefined, pageId: string): Opened {
  const [loaded, setLoaded] = useState<Loaded>()
  const [times, setTimes] = useState(0)
  /** The ticket that a scan brought: the effect that its id sets off does not load it again. */
  const given = useRef<string>(undefined)
  // `times` is what a reload changes.
  useEffect(() => {
    if (id === undefined || times < 0) return
    const isGiven = given.current === id
    given.current = undefined
    if (isGiven) return
    const left = new AbortController()
    void readDoor<OpenedTicket>('/door/ticket', { id, pageId }, left.signal).then((read) => {
      if (left.signal.aborted) return
      if (read.outcome === 'answered') setLoaded({ id, ticket: read.answer })
      else setLoaded({ id, trouble: read.outcome === 'refused' ? read.message : doorWords.openOffline })
    })
    return () => left.abort()
  }, [id, pageId, times])
  const mine = loaded?.id === id ? loaded : undefined
  const again = () => setTimes((before) => before + 1)
  return {
    ticket: mine?.ticket,
    trouble: mine?.trouble,
    reload: again,
    show(ticket) {
      given.current = ticket.guest.id
      setLoaded({ id: ticket.guest.id, ticket })
      again()
    },
  }
}
