/** The ticket that is open: loaded when it is chosen, and again when something was done to it. */
import { useEffect, useState } from 'react'
import type { OpenedTicket } from '@/lib/admission/open-ticket'
import { doorWords } from '../copy/door'
import { readDoor } from './send'

export type Opened = {
  /** Absent until it is there, and never another ticket's. */
  ticket: OpenedTicket | undefined
  /** Why it could not be opened, for a person. */
  trouble: string | undefined
  reload(): void
}

type Loaded = { id: string; ticket?: OpenedTicket; trouble?: string }

export function useOpened(id: string | undefined, pageId: string): Opened {
  const [loaded, setLoaded] = useState<Loaded>()
  const [times, setTimes] = useState(0)
  // `times` is what a reload changes.
  useEffect(() => {
    if (id === undefined || times < 0) return
    const left = new AbortController()
    void readDoor<OpenedTicket>('/door/ticket', { id, pageId }, left.signal).then((read) => {
      if (left.signal.aborted) return
      if (read.outcome === 'answered') setLoaded({ id, ticket: read.answer })
      else setLoaded({ id, trouble: read.outcome === 'refused' ? read.message : doorWords.openOffline })
    })
    return () => left.abort()
  }, [id, pageId, times])
  const mine = loaded?.id === id ? loaded : undefined
  return { ticket: mine?.ticket, trouble: mine?.trouble, reload: () => setTimes((before) => before + 1) }
}
