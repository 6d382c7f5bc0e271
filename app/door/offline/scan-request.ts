/** The scans that the page asks the engine to check. */
import type { CodeSource, ScanSource } from '@/lib/admission/scan-source'
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

/** The result of a search on this device. `hasMore`: whether more guests match than `guests` contains. */
export type FoundGuests = { guests: FoundGuest[]; hasMore: boolean }

/** Returns how the ticket was identified; undefined if that is not known. */
export const getSource = (scan: ScanRequest): ScanSource | undefined => ('code' in scan ? scan.source : 'guest_list')
