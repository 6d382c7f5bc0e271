/** How many are in, asked again after each scan and every few seconds: other doors let guests in too. */
import { useEffect, useState } from 'react'
import type { Turnout } from '@/lib/admission/turnout'

const EVERY_MS = 5_000

/** @param scans how many scans have been answered here */
export function useTurnout(initial: Turnout, pageId: string, scans: number): Turnout {
  const [turnout, setTurnout] = useState(initial)
  useEffect(() => {
    let current = true
    const load = async () => {
      // A phone in a pocket counts nobody.
      if (document.hidden) return
      const response = await fetch(`/door/turnout?pageId=${pageId}&after=${scans}`).catch(() => undefined)
      if (current && response?.ok) setTurnout((await response.json()) as Turnout)
    }
    void load()
    const timer = setInterval(load, EVERY_MS)
    return () => {
      current = false
      clearInterval(timer)
    }
  }, [pageId, scans])
  return turnout
}
