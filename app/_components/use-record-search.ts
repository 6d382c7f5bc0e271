'use client'
/** Searches all lists as the user types, with a debounce, and discards outdated results. */
import { useOffline } from 'next/offline'
import { useEffect, useRef, useState } from 'react'
import { MIN_TERM } from '@/lib/catalog/limits'
import type { FindResponse } from '../(dashboard)/find/route'

const DEBOUNCE_MS = 150

const NONE = { found: [], listsWithMore: [] }

export type SearchState = FindResponse & { state: 'short' | 'searching' | 'outage' | 'signed-out' | 'found' }

/**
 * Requests the records that match the term.
 *
 * @param before the previous results, which stay visible during an outage
 */
async function fetchRecords(term: string, signal: AbortSignal, before: FindResponse): Promise<SearchState> {
  try {
    const response = await fetch(`/find?${new URLSearchParams({ q: term })}`, { signal })
    if (response.ok) return { state: 'found', ...((await response.json()) as FindResponse) }
    if (response.status === 401) return { state: 'signed-out', ...NONE }
    return response.status === 400 ? { state: 'found', ...NONE } : { ...before, state: 'outage' }
  } catch {
    return { ...before, state: 'outage' }
  }
}

/** Returns the state of the search for the user's input. Ignores leading and trailing whitespace. */
export function useRecordSearch(input: string): SearchState {
  const term = input.trim()
  const [search, setSearch] = useState<SearchState>({ state: 'short', ...NONE })
  // The search is repeated once the browser is online again.
  const isOffline = useOffline()
  const shown = useRef<FindResponse>(NONE)

  useEffect(() => {
    if ([...term].length < MIN_TERM) {
      shown.current = NONE
      setSearch({ state: 'short', ...NONE })
      return
    }
    if (isOffline) {
      setSearch({ ...shown.current, state: 'outage' })
      return
    }
    // Previous results stay until the next ones arrive, to avoid flicker.
    setSearch({ ...shown.current, state: 'searching' })
    const abort = new AbortController()
    const timer = setTimeout(async () => {
      const result = await fetchRecords(term, abort.signal, shown.current)
      if (abort.signal.aborted) return
      shown.current = result
      setSearch(result)
    }, DEBOUNCE_MS)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [term, isOffline])

  return search
}
