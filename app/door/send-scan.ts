/** Sends scans, manual check-ins and undos from a device that may have unsent scans of the same ticket. */
import { doorCopy } from '../copy/door'
import { type Change, type ChangeResult, endAnswered, endChange, readResponse, sendChange, sendUnansweredScans } from './door-client'
import type { Engine } from './offline/engine'
import type { CodeScan, GuestScan, UnlistedScan } from './offline/scan-request'
import { toLocalOutcome } from './outcomes'
import type { ScanResponse } from './responses'
import type { ShownOutcome } from './scan-result'
import type { Offline } from './use-offline'

/** A scan without its ID, which is the key of its change. */
type UnsentScan = Omit<CodeScan, 'id'> | Omit<GuestScan, 'id'>

/**
 * Checks a ticket with the server, or on this device if the server does not respond. If this device cannot check it either, sends the same
 * scan to the server, with retries, unless the ticket may have an unsent scan. In that case, asks the user to try again.
 *
 * @returns the result of the request, or the local outcome
 */
export async function sendScan(
  engine: Engine,
  offline: Offline,
  change: Change,
  scan: UnsentScan,
  timeZone: string,
): Promise<ChangeResult<ScanResponse> | { local: ShownOutcome }> {
  const { unanswered } = change
  const request = { ...scan, id: change.key, isRepeated: change.firstSentAt !== undefined, unanswered }
  const sent = await engine.scan(request)
  offline.refresh()
  if (sent.decidedBy === 'server') {
    const result = await readResponse<ScanResponse>(sent.response)
    endAnswered(change, result)
    void sendUnansweredScans()
    return { ...result, firstSentAt: change.firstSentAt }
  }
  if (sent.decidedBy === 'device') {
    offline.sendSoon()
    // If the server may have let the guest in although this device refused the ticket, scanning it again repeats this scan.
    if (!sent.isHeld) endChange(change)
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

/** Refuses a scan or change of a ticket that has an unsent scan. Sends the unsent scans, so that trying again succeeds. */
function refuseUnsent(offline: Offline): ChangeResult<never> {
  offline.update()
  return { outcome: 'refused', message: doorCopy.offline.unsentTicket }
}

/**
 * Sends a manual check-in or an undo. Refuses it if the server does not know yet that this device has let the guest in or out.
 *
 * @param begin begins the change
 */
export async function sendManualChange<T>(offline: Offline | undefined, ticketId: string, begin: () => Change): Promise<ChangeResult<T>> {
  // If storage is unavailable, the change is sent anyway.
  const isReady = await offline?.engine?.prepareChange(ticketId).catch(() => true)
  return offline && isReady === false ? refuseUnsent(offline) : sendChange<T>(begin())
}

/** Lets in a guest whose code is not on this device's list. @param pageId the event; undefined for all events */
export async function letInAnyway(offline: Offline, scan: UnlistedScan, pageId: string | undefined): Promise<ShownOutcome> {
  const scanId = await offline.engine?.override({ ...scan, checkIn: true, pageId }).catch(() => {
    offline.reportStorageFailure()
    return undefined
  })
  // The guest is in, so scanning the code again is a new scan.
  if (scanId !== undefined) {
    endChange({ key: scan.id })
    offline.sendSoon()
  }
  offline.refresh()
  return scanId === undefined
    ? { kind: 'failed', details: { message: doorCopy.offline.overrideFailed } }
    : { kind: 'admitted', details: { local: { scanId, hint: doorCopy.offline.overridden } } }
}
