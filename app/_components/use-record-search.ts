'use client'
/** Searches records as the user types, with a debounce, and discards outdated results. */
import { useEffect, useState } from 'react'
import type { FindResponse, FoundItem } from '../(dashboard)/find/find-response'

const DEBOUNCE_MS = 150
/** Must match `lib/listing/find-anywhere.ts`, which is server-only code. */
const MIN_LENGTH = 2

export type SearchState =
  | { state: 'short' | 'searching' | 'outage' | 'signed-out'; found: FoundItem[] }
  | { state: 'found'; found: FoundItem[] }

async function ask(term: string, signal: AbortSignal): Promise<SearchState> {
  try {
    const response = await fetch(`/find?${new URLSearchParams({ q: term })}`, { signal })
    if (response.ok) return { state: 'found', found: ((await response.json()) as FindResponse).found }
    return { state: response.status === 401 ? 'signed-out' : response.status === 400 ? 'found' : 'outage', found: [] }
  } catch {
    return { state: 'outage', found: [] }
  }
}

/** @param typed the field's value; leading and trailing whitespace is ignored */
export function useRecordSearch(typed: string): SearchState {
  const term = typed.trim()
  const [search, setSearch] = useState<SearchState>({ state: 'short', found: [] })

  useEffect(() => {
    if ([...term].length < MIN_LENGTH) {
      setSearch({ state: 'short', found: [] })
      return
    }
    // Previous results stay until the next ones arrive, to avoid flicker.
    setSearch(({ found }) => ({ state: 'searching', found }))
    const abort = new AbortController()
    const timer = setTimeout(async () => {
      const answer = await ask(term, abort.signal)
      if (!abort.signal.aborted) setSearch(answer)
    }, DEBOUNCE_MS)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [term])

  return search
}
