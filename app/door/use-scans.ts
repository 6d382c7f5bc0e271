/** The scans of this device: the newest one is shown large, and no slow one before it holds it up. */
import { useCallback, useRef, useState } from 'react'
import type { Shown, ShownKind } from './shown'
import { playSignal } from './signals'

const KEPT = 20

type Outcome = { kind: ShownKind; answer?: Shown['answer'] }

export type Scans = {
  /** The last ones, newest first. */
  scans: Shown[]
  /** The newest, which is shown large. */
  shown: Shown | undefined
  /** An earlier one that was answered after a newer one had begun. */
  late: Shown | undefined
  /** A scan has come in. @returns its id, to settle it by */
  begin(): number
  /** @returns whether it is still the newest, and so the one that is shown */
  settle(id: number, outcome: Outcome): boolean
  /** Something that needs no large answer, such as one ticket of many. */
  add(outcome: Outcome): void
  /** What scan is the newest now, to tell `show` by. */
  mark(): number
  /** Shows what is no scan, unless a guest has been scanned since `mark`. @returns whether it is shown */
  show(outcome: Outcome, mark: number): boolean
}

export function useScans(): Scans {
  const [scans, setScans] = useState<Shown[]>([])
  const [shown, setShown] = useState<Shown>()
  const [late, setLate] = useState<Shown>()
  const count = useRef(0)
  const newest = useRef(0)

  const enter = useCallback((scan: Omit<Shown, 'id'>) => {
    count.current += 1
    const entered = { ...scan, id: count.current }
    setScans((before) => [entered, ...before].slice(0, KEPT))
    return entered
  }, [])

  const begin = useCallback(() => {
    const scan = enter({ kind: 'checking' })
    newest.current = scan.id
    setShown(scan)
    setLate(undefined)
    return scan.id
  }, [enter])

  const settle = useCallback((id: number, outcome: Outcome) => {
    const scan = { ...outcome, id }
    setScans((before) => before.map((one) => (one.id === id ? scan : one)))
    if (id !== newest.current) {
      setLate(scan)
      return false
    }
    setShown(scan)
    playSignal(scan.kind)
    return true
  }, [])

  const add = useCallback(
    (outcome: Outcome) => {
      enter(outcome)
    },
    [enter],
  )

  const mark = useCallback(() => newest.current, [])

  const show = useCallback(
    (outcome: Outcome, since: number) => {
      if (newest.current === since) return settle(begin(), outcome)
      add(outcome)
      return false
    },
    [add, begin, settle],
  )

  return { scans, shown, late, begin, settle, add, mark, show }
}
