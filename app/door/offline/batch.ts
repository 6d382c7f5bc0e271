/** Limits the number of scans that a device sends in a request. */
import type { QueuedScan } from './store'

/** The maximum number of scans in a request, and of their characters. A request body is limited to 64 KiB. */
export const BATCH = 100
const BATCH_CHARACTERS = 48 * 1024
/** The maximum size of a scan's JSON in addition to its sealed text, in characters. */
const SCAN_MEMBERS = 160

/** Returns the first scans, as many as fit into a request. */
export function fitBatch(scans: readonly QueuedScan[]): QueuedScan[] {
  let characters = 0
  return scans.filter(({ sealed }, index) => {
    characters += sealed.length + SCAN_MEMBERS
    return index === 0 || characters <= BATCH_CHARACTERS
  })
}
