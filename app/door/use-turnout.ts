/** The turnout. This device's check-ins are added immediately. Other devices' changes are streamed, or polled if there is no stream. */
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { Turnout } from '@/lib/admission/turnout'
import { addEntry, createEntryCounter } from './entry-counter'
import { chooseCounts, type PageCounts, rememberCounts } from './last-counts'
import type { ScanResponse } from './responses'

const POLL_MS = 5_000
/** How long to wait before reopening a stream that was rejected, in milliseconds. */
const REOPEN_MS = 60_000

type LiveTurnout = {
  turnout: Turnout
  /** When the server last sent the counts, in milliseconds since 1970. */
  at: number
  /** Whether the server responded to the last poll. */
  isReached: boolean
  /** Call before a scan is sent. @returns a function that takes the response and adds the guest, unless the counts already include them */
  beginEntry(): (response: ScanResponse) => void
  /** Polls immediately. */
  refresh(): void
}

export type OwnScans = {
  /** True while it is unknown whether the server's counts include this device's unsent scans. Such counts are ignored. */
  isCountUncertain: boolean
  /** Called when counts have arrived that include all scans that were sent. */
  onCounts: (() => void) | undefined
}

/** @param page the counts in the page @param own the state of the scans that this device handled without the server */
export function useTurnout(sellerId: string, pageId: string, page: PageCounts, own: OwnScans): LiveTurnout {
  const findStored = (id: string) => chooseCounts(sellerId, id, page)
  const [latest, setLatest] = useState(() => ({ ...findStored(pageId), pageId }))
  const { turnout, at } = latest.pageId === pageId ? latest : findStored(pageId)
  const [isReached, setReached] = useState(true)
  /** Incremented by each check-in and each request, so that outdated responses are ignored. */
  const version = useRef(0)
  const [entries] = useState(createEntryCounter)
  const latestOwn = useRef(own)
  useLayoutEffect(() => {
    latestOwn.current = own
  })

  const keep = useCallback(
    (turnout: Turnout, pageId: string) => {
      if (latestOwn.current.isCountUncertain) return
      latestOwn.current.onCounts?.()
      entries.receive()
      const counts = { turnout, at: Date.now() }
      setLatest({ ...counts, pageId })
      rememberCounts(sellerId, pageId, counts)
    },
    [sellerId, entries],
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
    /** Opens the stream, unless it is already open. Hidden tabs have no stream and do not poll. */
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

  const beginEntry = useCallback(() => {
    const isMissing = entries.begin()
    return (response: ScanResponse) => {
      if (!isMissing(response)) return
      version.current += 1
      setLatest(({ turnout: before, ...rest }) => ({ ...rest, turnout: addEntry(before, response.ticket?.guest.typeId ?? '') }))
    }
  }, [entries])

  return { turnout, at, isReached, beginEntry, refresh: () => setRefreshes((before) => before + 1) }
}
