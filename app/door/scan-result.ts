/** The result of a scan, as shown on the check-in page. */
import type { ReadCode } from './offline/engine'
import type { ScanKind } from './responses'

/**
 * `replayed`: an earlier scan of this device, whose response was lost, has admitted the ticket. `offline`: there was no response.
 * `failed`: the request was rejected, or the code is missing from an incomplete list, which says nothing about the ticket.
 */
export type ResultKind = ScanKind | 'replayed' | 'undone' | 'offline' | 'failed'

/** The ticket that a result belongs to. */
export type ResultDetails = {
  message?: string
  ticketId?: string
  guest?: string | undefined
  type?: string | undefined
  order?: string | undefined
  shortId?: string | undefined
  /**
   * Set if this device has decided the scan without the server. `scanId`: the ID under which it is reported. `hint`: what its list says, and
   * when it was updated. `override`: the code, if the steward can let the guest in although it is unknown.
   */
  local?: { scanId: string | undefined; hint: string; override?: ReadCode | undefined } | undefined
}

export type ScanOutcome = { kind: ResultKind; details?: ResultDetails | undefined }

/** `checking` until the response arrives. `at` is when it arrived or, until then, when the scan started, in milliseconds since 1970. */
export type ScanResult = { id: number; kind: ResultKind | 'checking'; at: number; details?: ResultDetails | undefined }
