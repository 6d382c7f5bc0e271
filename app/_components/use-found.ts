'use client'
/** Searches records as the user types, debounced, and drops outdated results. */
import { useEffect, useState } from 'react'
import type { FindAnswer, FoundItem } from '../(dashboard)/find/answer'

const DEBOUNCE_MS = 150
/** Same as in lib/listing/find-anywhere.ts, which is server code. */
const LEAST = 2

export type Finding =
  | { state: 'short' | 'searching' | 'outage' | 'signed-out'; found: FoundItem[] }
  | { state: 'found'; found: FoundItem[] }

async function ask(term: string, signal: AbortSignal): Promise<Finding> {
  try {
    const response = await fetch(`/find?${new URLSearchParams({ q: term })}`, { signal })
    if (response.ok) return { state: 'found', found: ((await response.json()) as FindAnswer).found }
    return { state: response.status === 401 ? 'signed-out' : response.status === 400 ? 'found' : 'outage', found: [] }
  } catch {
    return { state: 'outage', found: [] }
  }
}

/** @param typed the field's value; surrounding whitespace is ignored */
export function useFound(typed: string): Finding {
  const term = typed.trim()
  const [finding, setFinding] = useState<Finding>({ state: 'short', found: [] })

  useEffect(() => {
    if ([...term].length < LEAST) {
      setFinding({ state: 'short', found: [] })
      return
    }
    // Previous results stay until the next ones arrive, to avoid flicker.
    setFinding(({ found }) => ({ state: 'searching', found }))
    const abort = new AbortController()
    const timer = setTimeout(async () => {
      const answer = await ask(term, abort.signal)
      if (!abort.signal.aborted) setFinding(answer)
    }, DEBOUNCE_MS)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [term])

  return finding
}
