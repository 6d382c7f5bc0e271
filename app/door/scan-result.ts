/** The result of a scan, as shown on the check-in page. */
import type { UnlistedScan } from './offline/scan-request'
import type { ScanKind } from './responses'

/**
 * `replayed`: an earlier scan on this device, whose response was lost, admitted the guest. `undone`: a check-in or check-out was undone.
 * `offline`: the server did not respond, and this device could not check the ticket. `failed`: the request was rejected, this device's
 * storage failed, or the unknown code might belong to a ticket that is not on this device's list yet.
 */
export type ResultKind = ScanKind | 'replayed' | 'undone' | 'offline' | 'failed'

/** The message of a result, and its ticket. */
type ResultDetails = {
  message?: string
  ticketId?: string
  guest?: string | undefined
  type?: string | undefined
  order?: string | undefined
  shortId?: string | undefined
  /**
   * Set if the result did not come from the server. `scanId`: the ID under which the scan is reported. `hint`: what the device's list says,
   * and when the list was updated. `override`: the scan, if its code is unknown and the person at the door can let the guest in anyway.
   */
  local?: { scanId: string | undefined; hint: string; override?: UnlistedScan | undefined } | undefined
}

export type ShownOutcome = { kind: ResultKind; details?: ResultDetails | undefined }

/**
 * `kind` is `checking` until the response arrives. `at` is when the response arrived or, until then, when the scan started, in milliseconds
 * since 1970.
 */
export type ScanResult = { id: number; kind: ResultKind | 'checking'; at: number; details?: ResultDetails | undefined }
