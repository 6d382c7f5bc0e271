/** Shares the result of a scan with its repetitions, such as when a scanner reads a code twice in a row. */
import type { EngineScan, ScanRequest } from './scan-request'

/** Returns the result for a repetition of a scan: the same, except that the repetition did not check the guest in, who is counted once. */
async function toRepeated(result: EngineScan): Promise<EngineScan> {
  if (result.decidedBy !== 'server') return result
  const { response } = result
  return { decidedBy: 'server', response: Response.json({ ...(await response.clone().json()), didCheckIn: false }, response) }
}

/**
 * Returns a function that checks a ticket, or waits for the result if a scan with the same ID is already being checked. Otherwise, the
 * device could refuse the guest whom the first scan has let in, and report this refusal under the same ID.
 */
export function shareScans(check: (scan: ScanRequest) => Promise<EngineScan>): (scan: ScanRequest) => Promise<EngineScan> {
  /** The scans that are being checked, by ID. */
  const running = new Map<string, Promise<EngineScan>>()
  return async (scan) => {
    const first = running.get(scan.id)
    if (first) return toRepeated(await first)
    const checking = check(scan).finally(() => running.delete(scan.id))
    running.set(scan.id, checking)
    const result = await checking
    // The original response is kept for repetitions.
    return result.decidedBy === 'server' ? { ...result, response: result.response.clone() } : result
  }
}
