/** Decides which check-ins of this device are added to the counts that it shows. */
import type { Turnout } from '@/lib/admission/turnout'
import type { ScanResponse } from './responses'

export type EntryCounter = {
  /** Call when the server has sent counts. */
  receive(): void
  /** Call before a scan is sent. @returns a function to call with its response, which returns whether to add its guest to the counts */
  begin(): (response: Pick<ScanResponse, 'entered' | 'replayed'>) => boolean
}

/**
 * The server may send counts that include a check-in before it sends the response to the scan. A check-in is therefore added only if no counts have
 * arrived since its scan was sent; the next ones include it. The same holds for a repeated scan, whose first response was lost.
 */
export function createEntryCounter(): EntryCounter {
  let received = 0
  return {
    receive() {
      received += 1
    },
    begin() {
      const before = received
      return ({ entered, replayed }) => entered && !replayed && received === before
    },
  }
}

/** Returns the counts with one more guest of a ticket type. */
export function addEntry(turnout: Turnout, typeId: string): Turnout {
  const enter = <C extends { attended: number; inside: number }>(counts: C): C => ({
    ...counts,
    attended: counts.attended + 1,
    inside: counts.inside + 1,
  })
  return { ...enter(turnout), types: turnout.types.map((type) => (type.id === typeId ? enter(type) : type)) }
}
