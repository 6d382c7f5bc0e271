/** Sends the scans of a device that can work offline. */
import { doorCopy } from '../copy/door'
import { type Change, type ChangeResult, endChange, readResponse, sendChange } from './door-client'
import type { Engine } from './offline/engine'
import type { CodeScan, GuestScan, UnlistedScan } from './offline/scan-request'
import { toLocalOutcome } from './outcomes'
import type { ScanResponse } from './responses'
import type { ShownOutcome } from './scan-result'
import type { Offline } from './use-offline'

/** A scan without its ID, which is the key of its change. */
type UnsentScan = Omit<CodeScan, 'id'> | Omit<GuestScan, 'id'>

/**
 * Checks a ticket with the server, or on this device if the server does not respond. If this device cannot decide either, the same scan is
 * sent to the server again.
 *
 * @returns the response, or the local outcome
 */
export async function sendScan(
  engine: Engine,
  offline: Offline,
  change: Change,
  scan: UnsentScan,
  timeZone: string,
): Promise<ChangeResult<ScanResponse> | { local: ShownOutcome }> {
  const request = { ...scan, id: change.key, isRepeated: change.repeated !== undefined }
  const sent = await engine.scan(request)
  offline.refresh()
  if (sent.by === 'server') {
    endChange(change)
    return { ...(await readResponse<ScanResponse>(sent.response)), repeated: change.repeated }
  }
  if (sent.by === 'device') {
    // If the ticket may be missing from the list, scanning it again repeats the scan, because the server may have decided it.
    if (sent.waiting === undefined) endChange(change)
    return { local: toLocalOutcome(sent, request, timeZone) }
  }
  if (sent.isUnsent) {
    endChange(change)
    return refuseUnsent(offline)
  }
  const result = await sendChange<ScanResponse>(change)
  if (result.outcome === 'ok') offline.update()
  return result
}

/** Sends this device's scans soon, so that trying again succeeds. */
function refuseUnsent(offline: Offline): ChangeResult<never> {
  offline.update()
  return { outcome: 'refused', message: doorCopy.offline.unsentTicket }
}

/**
 * Admits a guest without a code, or undoes a check-in or check-out. Refuses if the server does not know yet that this device has let the
 * guest in or out.
 *
 * @param begin begins the change
 */
export async function sendByHand<T>(offline: Offline | undefined, ticketId: string, begin: () => Change): Promise<ChangeResult<T>> {
  // Without storage, the server decides.
  const isUnsent = await offline?.engine?.isUnsent(ticketId).catch(() => false)
  return offline && isUnsent ? refuseUnsent(offline) : sendChange<T>(begin())
}

/** Lets in a guest whose code is not on this device's list. @param pageId the event; undefined for all events */
export async function letInAnyway(offline: Offline, scan: UnlistedScan, pageId: string | undefined): Promise<ShownOutcome> {
  const scanId = await offline.engine?.override({ ...scan, checkIn: true, pageId }).catch(() => {
    offline.reportStorageFailure()
    return undefined
  })
  // The guest is in, so scanning the code again is a new scan.
  if (scanId !== undefined) endChange({ key: scan.id })
  offline.refresh()
  return scanId === undefined
    ? { kind: 'failed', details: { message: doorCopy.offline.overrideFailed } }
    : { kind: 'admitted', details: { local: { scanId, hint: doorCopy.offline.overridden } } }
}
