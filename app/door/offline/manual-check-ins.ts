/** Remembers manual check-ins that may not have received a response, so that a scan of the ticket repeats them and counts once. */
import { HOLD_SECONDS } from '@/lib/catalog/limits'
import { beginChange, endChange, endCheckIns } from '../door-client'
import type { GuestScan, ScanRequest } from './scan-request'
import { findListed } from './scan-sender'
import type { DoorStore, ListState } from './store'
import type { CodeKey } from './unseal'

/** How long after a manual check-in a scan repeats it, in milliseconds. */
const REPEAT_MS = HOLD_SECONDS * 1_000

export function createManualCheckIns(store: DoorStore, now: () => number) {
  /** The tickets whose last manual change may not have received a response, and when the change was made. */
  const tried = new Map<string, number>()

  return {
    /** Adds a ticket that is about to be changed manually. */
    begin: (ticketId: string) => void tried.set(ticketId, now()),
    /** Removes a ticket whose change has received a response, or whose guest has left since, because the next entry is a new one. */
    end(ticketId: string): void {
      tried.delete(ticketId)
      endCheckIns(ticketId)
    },
    /**
     * Returns the manual check-in of the scanned ticket that was made within the last minute and got no response, if there is one. The
     * server may have let the guest in. If the scan repeats the check-in with the same ID, the guest counts once.
     */
    async find(scan: ScanRequest, list: ListState, deriving: Promise<CodeKey>): Promise<GuestScan | undefined> {
      for (const [ticketId, at] of tried) if (Math.abs(now() - at) >= REPEAT_MS) tried.delete(ticketId)
      const { checkIn, direction, pageId, device, isRepeated } = scan
      if (tried.size === 0 || !('code' in scan) || !checkIn || direction === 'out' || isRepeated) return undefined
      const codeKey = await deriving
      for (const ticketId of tried.keys()) {
        if ((await findListed(store, list, ticketId))?.index !== codeKey.index) continue
        // The same fields, in the same order, as those of the manual check-in.
        const change = beginChange('/door/admit', { ticketId, ...(pageId && { pageId }), ...(device && { device }) })
        if (change.firstSentAt) return { id: change.key, ticketId, codeKey, name: '', checkIn, pageId, device, isRepeated: true }
        endChange(change)
      }
      return undefined
    },
  }
}
