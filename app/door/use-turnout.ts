/** The turnout. It is incremented by scans on this device, and polled because other devices check in guests too. */
import { useCallback, useEffect, useRef, useState } from 'react'
import type { Turnout } from '@/lib/admission/turnout'

const POLL_MS = 5_000

type LiveTurnout = {
  turnout: Turnout
  /** Adds one guest to the count of a ticket type. */
  countEntry(typeId: string): void
  /** Polls immediately. */
  refresh(): void
}

export function useTurnout(initial: Turnout, pageId: string): LiveTurnout {
  const [turnout, setTurnout] = useState(initial)
  /** Incremented by each check-in and each request, so that outdated responses are ignored. */
  const version = useRef(0)

  const load = useCallback(async (pageId: string) => {
    version.current += 1
    const mine = version.current
    const response = await fetch(`/door/turnout?pageId=${pageId}`).catch(() => undefined)
    if (!response?.ok) return
    const latest = (await response.json()) as Turnout
    if (mine === version.current) setTurnout(latest)
  }, [])

  const [refreshes, setRefreshes] = useState(0)
  // `refreshes` is a dependency: changing it polls again.
  useEffect(() => {
    if (refreshes < 0) return
    // Hidden tabs do not poll.
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
    const enter = <C extends { attended: number; inside: number }>(counts: C): C => ({
      ...counts,
      attended: counts.attended + 1,
      inside: counts.inside + 1,
    })
    setTurnout((before) => ({
      ...enter(before),
      types: before.types.map((type) => (type.id === typeId ? enter(type) : type)),
    }))
  }, [])

  return { turnout, countEntry, refresh: () => setRefreshes((before) => before + 1) }
}
