'use client'
/** The number of records in a saved view, updated every minute. One request loads the numbers for all views. */
import { useSyncExternalStore } from 'react'
import { formatCount } from '../copy/format'
import type { ViewCounts } from './saved-views/counts/route'

const POLL_MS = 60_000

let counts: ViewCounts['counts'] = {}
const listeners = new Set<() => void>()
let isLoading = false
let timer: ReturnType<typeof setInterval>

/** Loads the counts, unless a request is already in progress or the page is in the background. */
async function load(): Promise<void> {
  if (isLoading || document.visibilityState !== 'visible') return
  isLoading = true
  try {
    const response = await fetch('/saved-views/counts')
    // If the server cannot return the counts, hide them, because the old ones could be wrong.
    counts = response.ok ? ((await response.json()) as ViewCounts).counts : {}
    for (const listener of listeners) listener()
  } catch {
    // The server is unreachable. The next poll tries again.
  } finally {
    isLoading = false
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  if (listeners.size === 1) {
    timer = setInterval(load, POLL_MS)
    // Counts are not loaded while the page is in the background, so they may be outdated when it becomes visible again.
    document.addEventListener('visibilitychange', load)
  }
  load()
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    document.removeEventListener('visibilitychange', load)
  }
}

export default function LiveCount({ id }: { id: string }) {
  const count = useSyncExternalStore(subscribe, () => counts[id])
  if (count === undefined) return null
  return <span className="ml-auto pl-2 text-quiet text-xs tabular-nums collapsed:hidden">{formatCount(count)}</span>
}
