/** The scans on this device. The newest one is displayed immediately, even if earlier ones have no response yet. */
import { useRef, useState } from 'react'
import type { ScanResult, ShownOutcome } from './scan-result'
import { playSignal } from './signals'

/** The maximum number of scans in the list. */
const MAX_SCANS = 20

export type Scans = {
  /** The most recent scans, newest first. */
  scans: ScanResult[]
  /** The newest scan, displayed as the result. */
  current: ScanResult | undefined
  /** An earlier scan whose response arrived after a newer scan had started. */
  late: ScanResult | undefined
  /** Starts a scan. @returns its ID, for `settle` */
  begin(): number
  /**
   * Sets the outcome of a scan. Displays it and plays its signal if the scan is still the newest; otherwise, publishes it as `late`.
   *
   * @returns whether the scan is still the newest
   */
  settle(id: number, outcome: ShownOutcome): boolean
  /** Adds an outcome to the list only. Used when several tickets are checked in together. */
  add(outcome: ShownOutcome): void
  /** Returns the ID of the newest scan, for `show`. */
  newestId(): number
  /**
   * Displays an outcome that does not belong to a scan. If a scan has started since the one with the ID `since`, only adds it to the list.
   *
   * @returns whether it is displayed
   */
  show(outcome: ShownOutcome, since: number): boolean
}

export function useScans(): Scans {
  const [scans, setScans] = useState<ScanResult[]>([])
  const [current, setCurrent] = useState<ScanResult>()
  const [late, setLate] = useState<ScanResult>()
  const count = useRef(0)
  const newest = useRef(0)

  function append(result: Omit<ScanResult, 'id' | 'at'>): ScanResult {
    count.current += 1
    const scan = { ...result, id: count.current, at: Date.now() }
    setScans((before) => [scan, ...before].slice(0, MAX_SCANS))
    return scan
  }

  function begin(): number {
    const scan = append({ kind: 'checking' })
    newest.current = scan.id
    setCurrent(scan)
    setLate(undefined)
    return scan.id
  }

  function settle(id: number, outcome: ShownOutcome): boolean {
    const scan = { ...outcome, id, at: Date.now() }
    setScans((before) => before.map((previous) => (previous.id === id ? scan : previous)))
    if (id !== newest.current) {
      setLate(scan)
      return false
    }
    setCurrent(scan)
    playSignal(scan.kind)
    return true
  }

  function show(outcome: ShownOutcome, since: number): boolean {
    if (newest.current === since) return settle(begin(), outcome)
    append(outcome)
    return false
  }

  return { scans, current, late, begin, settle, add: (outcome) => void append(outcome), newestId: () => newest.current, show }
}
