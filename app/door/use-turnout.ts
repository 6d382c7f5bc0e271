/** The turnout. It is incremented by scans on this device, and streamed because other devices check in guests too; polled if there is no stream. */
import { useCallback, useEffect, useRef, useState } from 'react'
import type { Turnout } from '@/lib/admission/turnout'
import { chooseCounts, type PageCounts, rememberCounts } from './last-counts'

const POLL_MS = 5_000
/** How long to wait before reopening a stream that was rejected, in milliseconds. */
const REOPEN_MS = 60_000

type LiveTurnout = {
  turnout: Turnout
  /** When the server last sent the counts, in milliseconds since 1970. */
  at: number
  /** Whether the server answered the last poll. */
  isReached: boolean
  /** Adds one guest to the count of a ticket type. */
  countEntry(typeId: string): void
  /** Polls immediately. */
  refresh(): void
}

/** @param page the counts in the page */
export function useTurnout(sellerId: string, pageId: string, page: PageCounts): LiveTurnout {
  const findKnown = (id: string) => chooseCounts(sellerId, id, page)
  const [latest, setLatest] = useState(() => ({ ...findKnown(pageId), pageId }))
  const { turnout, at } = latest.pageId === pageId ? latest : findKnown(pageId)
  const [isReached, setReached] = useState(true)
  /** Incremented by each check-in and each request, so that outdated responses are ignored. */
  const version = useRef(0)

  const keep = useCallback(
    (turnout: Turnout, pageId: string) => {
      const counts = { turnout, at: Date.now() }
      setLatest({ ...counts, pageId })
      rememberCounts(sellerId, pageId, counts)
    },
    [sellerId],
  )

  const load = useCallback(
    async (pageId: string) => {
      version.current += 1
      const mine = version.current
      const response = await fetch(`/door/turnout?pageId=${pageId}`).catch(() => undefined)
      setReached(response !== undefined && response.status < 500)
      if (!response?.ok) return
      const counts = (await response.json()) as Turnout
      if (mine === version.current) keep(counts, pageId)
    },
    [keep],
  )

  const [refreshes, setRefreshes] = useState(0)
  // `refreshes` is a dependency: changing it polls again.
  useEffect(() => {
    if (refreshes < 0) return
    let stream: EventSource | undefined
    /** Opens the stream again if it was closed. Hidden tabs have none, and do not poll. */
    function listen() {
      if (document.hidden) stream?.close()
      else if (stream === undefined || stream.readyState === EventSource.CLOSED) {
        stream = new EventSource(`/door/counts?pageId=${pageId}`)
        stream.onmessage = ({ data }: MessageEvent<string>) => {
          version.current += 1
          setReached(true)
          keep(JSON.parse(data) as Turnout, pageId)
        }
      }
    }
    const poll = () => void (document.hidden || stream?.readyState === EventSource.OPEN || load(pageId))
    void load(pageId)
    listen()
    document.addEventListener('visibilitychange', listen)
    const timers = [setInterval(poll, POLL_MS), setInterval(listen, REOPEN_MS)]
    return () => {
      version.current += 1
      for (const timer of timers) clearInterval(timer)
      document.removeEventListener('visibilitychange', listen)
      stream?.close()
    }
  }, [pageId, refreshes, load, keep])

  const countEntry = useCallback((typeId: string) => {
    version.current += 1
    const enter = <C extends { attended: number; inside: number }>(counts: C): C => ({
      ...counts,
      attended: counts.attended + 1,
      inside: counts.inside + 1,
    })
    setLatest(({ turnout: before, ...rest }) => ({
      ...rest,
      turnout: { ...enter(before), types: before.types.map((type) => (type.id === typeId ? enter(type) : type)) },
    }))
  }, [])

  return { turnout, at, isReached, countEntry, refresh: () => setRefreshes((before) => before + 1) }
}
