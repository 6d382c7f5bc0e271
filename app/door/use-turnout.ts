/**
 * Keeps the turnout up to date. This device's check-ins are added immediately; other changes are streamed, or polled if there is no stream.
 */
import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react'
import type { Turnout } from '@/lib/admission/turnout'
import { addEntry, createEntryCounter } from './entry-counter'
import { chooseCounts, type PageCounts, rememberCounts } from './last-counts'
import { PAGE_SELLER } from './page-seller'
import type { ScanResponse, TurnoutResponse } from './responses'
import { useIsShown } from './use-is-shown'

/** How often the counts are polled while there is no stream, in milliseconds. */
const POLL_MS = 5_000
/** How long to wait for the response to a poll, in milliseconds. Shorter than `POLL_MS`, so that polls do not overlap. */
const TIMEOUT_MS = 4_000
/** How often a stream that the server rejected is requested again, in milliseconds. */
const REOPEN_MS = 60_000

/** Returns the query of a request for counts. It names the page's seller, because an `EventSource` cannot send custom headers. */
const toQuery = (sellerId: string, pageId: string) => new URLSearchParams({ pageId, [PAGE_SELLER]: sellerId })

type LiveTurnout = {
  turnout: Turnout
  /** When the server sent the counts, or rendered the page with them, in milliseconds since 1970 on its clock. */
  at: number
  /** False after a poll has failed or got a 5xx, until a later request succeeds. */
  isReachable: boolean
  /**
   * Call before a scan is sent.
   *
   * @returns a function that takes the response, and adds the guest unless the counts may already include them
   */
  beginEntry(): (response: ScanResponse) => void
  /** Requests new counts immediately. */
  refresh(): void
}

type OwnScans = {
  /**
   * True while the server's counts may include some of the scans that it has not acknowledged yet. Such counts are ignored, and requested
   * again afterward.
   */
  isCountUncertain: boolean
  /** Called when counts arrive that include all scans that were sent. */
  onCounts: (() => void) | undefined
}

/**
 * Returns the turnout of an event.
 *
 * @param pageId the event; empty for all events
 * @param page the counts that the page was rendered with
 * @param own the state of this device's offline scans
 */
export function useTurnout(sellerId: string, pageId: string, page: PageCounts, own: OwnScans): LiveTurnout {
  const findStored = (id: string) => chooseCounts(sellerId, id, page)
  const [latest, setLatest] = useState(() => ({ ...findStored(pageId), pageId }))
  const { turnout, at } = latest.pageId === pageId ? latest : findStored(pageId)
  const [isReachable, setReachable] = useState(true)
  /** Incremented by each check-in, poll and stream message, so that outdated responses to polls are ignored. */
  const version = useRef(0)
  const selectedId = useRef(pageId)
  useLayoutEffect(() => {
    selectedId.current = pageId
  }, [pageId])
  const [entries] = useState(createEntryCounter)
  const isShown = useIsShown()
  const hasIgnoredCounts = useRef(false)

  const store = useEffectEvent((response: TurnoutResponse, pageId: string) => {
    hasIgnoredCounts.current = own.isCountUncertain
    if (own.isCountUncertain) return
    own.onCounts?.()
    entries.receive()
    setLatest({ ...rememberCounts(sellerId, pageId, response), pageId })
  })

  const load = useEffectEvent(async (pageId: string) => {
    version.current += 1
    const pollVersion = version.current
    let counts: TurnoutResponse | undefined
    try {
      const response = await fetch(`/door/turnout?${toQuery(sellerId, pageId)}`, { signal: AbortSignal.timeout(TIMEOUT_MS) })
      if (response.ok) counts = (await response.json()) as TurnoutResponse
      if (response.status >= 500) throw new Error(`status ${response.status}`)
      setReachable(true)
    } catch {
      // If the stream or a scan got a response in the meantime, the server is reachable.
      if (pollVersion === version.current) setReachable(false)
    }
    if (counts && pollVersion === version.current) store(counts, pageId)
  })

  const [refreshes, setRefreshes] = useState(0)
  // `refreshes` is never negative. It is read only to make it a dependency, so that changing it requests the counts again.
  useEffect(() => {
    if (refreshes < 0 || !isShown) return
    let stream: EventSource | undefined
    /** Opens the stream, unless it is open or connecting. */
    function listen() {
      if (stream !== undefined && stream.readyState !== EventSource.CLOSED) return
      stream = new EventSource(`/door/counts?${toQuery(sellerId, pageId)}`)
      stream.onmessage = ({ data }: MessageEvent<string>) => {
        version.current += 1
        setReachable(true)
        store(JSON.parse(data) as TurnoutResponse, pageId)
      }
    }
    const poll = () => void (stream?.readyState === EventSource.OPEN || load(pageId))
    void load(pageId)
    listen()
    const timers = [setInterval(poll, POLL_MS), setInterval(listen, REOPEN_MS)]
    return () => {
      version.current += 1
      for (const timer of timers) clearInterval(timer)
      stream?.close()
    }
  }, [sellerId, pageId, refreshes, isShown])

  // If no scan could be sent, nothing else requests the counts that were ignored, and the stream sends them only when they change again.
  useEffect(() => {
    if (!own.isCountUncertain && hasIgnoredCounts.current) setRefreshes((before) => before + 1)
  }, [own.isCountUncertain])

  function beginEntry() {
    const isMissing = entries.begin()
    return (response: ScanResponse) => {
      if (!isMissing(response) || selectedId.current !== pageId) return
      version.current += 1
      setLatest((before) => {
        // Right after another event is selected, no counts for it have been received.
        const counts = before.pageId === pageId ? before : { ...findStored(pageId), pageId }
        return { ...counts, turnout: addEntry(counts.turnout, response.ticket) }
      })
    }
  }

  return { turnout, at, isReachable, beginEntry, refresh: () => setRefreshes((before) => before + 1) }
}
