/** The scans that the page asks the engine to check, and their results. */
import type { CodeSource, ScanSource } from '@/lib/admission/scan-source'
import type { UnansweredCheckIn } from '../door-client'
import type { LocalDecision } from './decide-locally'
import type { NamedEntry } from './find-names'
import type { CodeKey } from './unseal'

type ScanBase = {
  /** The scan's idempotency key. */
  id: string
  /** False for a preview. */
  checkIn: boolean
  /** Whether the guest enters (the default) or leaves. */
  direction?: 'in' | 'out' | undefined
  /** The event selected on the device; undefined for all of the device's events. */
  pageId: string | undefined
  /** The name of the device, if a user has entered one. */
  device?: string | undefined
  /** Whether the server may already have recorded a request with this ID. */
  isRepeated?: boolean | undefined
  /** See `Change`. */
  unanswered?: readonly UnansweredCheckIn[] | undefined
}
/** A code, and how it was read. */
export type ReadCode = { code: string; source?: CodeSource | undefined }
export type CodeScan = ScanBase & ReadCode
/** A scan of a code that is not on this device's list. */
export type UnlistedScan = Pick<ScanBase, 'id'> & ReadCode
/** A guest on this device's list, with the decision that a scan of the ticket would lead to. */
export type FoundGuest = Pick<NamedEntry, 'name' | 'order' | 'shortId'> & { ticketId: string; codeKey: CodeKey; decision: LocalDecision }
/** The check-in of a guest who was found by name. */
export type GuestScan = ScanBase & Pick<FoundGuest, 'name' | 'ticketId' | 'codeKey'>
export type ScanRequest = CodeScan | GuestScan

/**
 * Who decided whether to admit the guest: `server`, with its response; `device`, with its own decision; or `none`, if this device cannot
 * decide either, because its list is incomplete or lacks the event, or the event requires a connection.
 *
 * `scanId` is the ID under which the device's decision is reported.
 *
 * `isHeld` is whether the device refused the entry although the server may have let the guest in with the same scan. In that case, the
 * refusal is reported only if the scan is not repeated or overridden within about a minute.
 *
 * `waiting` is set if the code is unknown but may belong to a ticket that is still missing from the list; it is the number of such tickets.
 * In that case, the refusal is not recorded unless `isHeld` is set.
 *
 * If `isUnsent` is set, the scan must not be sent to the server either, because the server may not know yet that this device has let the
 * guest in or out.
 */
export type EngineScan =
  | { decidedBy: 'server'; response: Response }
  | { decidedBy: 'device'; decision: LocalDecision; scanId: string; listUpdatedAt: number; isHeld: boolean; waiting?: number }
  | { decidedBy: 'none'; isUnsent?: true }

/** The result of a search on this device. `hasMore`: whether more guests match than `guests` contains. */
export type FoundGuests = { guests: FoundGuest[]; hasMore: boolean }

/** Returns how the ticket was identified; undefined if that is not known. */
export const getSource = (scan: ScanRequest): ScanSource | undefined => ('code' in scan ? scan.source : 'guest_list')
