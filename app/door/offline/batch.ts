/** Limits the scans that a device sends in one request. */
import type { QueuedScan } from './store'

/** The maximum number of scans in a request, and of the characters in their JSON. A request body is limited to 64 KiB. */
export const MAX_SCANS = 100
const MAX_CHARACTERS = 48 * 1024
/** The maximum size of a scan's JSON in addition to its sealed text, in characters. */
const SCAN_OVERHEAD = 160

/** Returns the first scans, as many as a request can contain, but at least one. @param scans at most `MAX_SCANS` */
export function fitBatch(scans: readonly QueuedScan[]): QueuedScan[] {
  let characters = 0
  return scans.filter(({ sealed }, index) => {
    characters += sealed.length + SCAN_OVERHEAD
    return index === 0 || characters <= MAX_CHARACTERS
  })
}
