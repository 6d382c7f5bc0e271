/** The number of guests inside: counted up with each scan here, and polled, because other doors check in guests too. */
import { useCallback, useEffect, useRef, useState } from 'react'
import type { Turnout } from '@/lib/admission/turnout'

const POLL_MS = 5_000

type LiveTurnout = {
  turnout: Turnout
  /** Counts one more guest of a ticket type. */
  countEntry(typeId: string): void
  /** Reads the numbers now. */
  refresh(): void
}

export function useTurnout(initial: Turnout, pageId: string): LiveTurnout {
  const [turnout, setTurnout] = useState(initial)
  /** Changes with each entry and each read: an answer that was requested before the change is out of date. */
  const version = useRef(0)

  const load = useCallback(async (pageId: string) => {
    version.current += 1
    const mine = version.current
    const response = await fetch(`/door/turnout?pageId=${pageId}`).catch(() => undefined)
    if (!response?.ok) return
    const read = (await response.json()) as Turnout
    if (mine === version.current) setTurnout(read)
  }, [])

  const [refreshes, setRefreshes] = useState(0)
  // `refreshes` is what a refresh changes.
  useEffect(() => {
    if (refreshes < 0) return
    // A phone in a pocket does not poll.
    const poll = () => void (document.hidden || load(pageId))
    poll()
    const timer = setInterval(poll, POLL_MS)
    return () => {
      version.current += 1
      clearInterval(timer)
    }
  }, [pageId, refreshes, load])

  const countEntry = useCallback((typeId: string) => {
    version.current += 1
    setTurnout(({ inside, sold, types }) => ({
      inside: inside + 1,
      sold,
      types: types.map((type) => (type.id === typeId ? { ...type, inside: type.inside + 1 } : type)),
    }))
  }, [])

  return { turnout, countEntry, refresh: () => setRefreshes((before) => before + 1) }
}
