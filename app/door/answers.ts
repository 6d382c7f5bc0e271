/** What the door's routes answer, for the server that sends it and the browser that shows it. */
import type { OpenedTicket } from '@/lib/admission/open-ticket'

export type ScanKind = 'admitted' | 'previewed' | 'unknown' | 'already_checked_in' | 'canceled' | 'other_event'

/** The verdict on a scan. It is stored under the scan's idempotency key, so that a retry gets the same one. */
export type Verdict = {
  kind: ScanKind
  message: string
  /** Whether the guest is inside now and was not before. */
  entered: boolean
}

/** `ticket` is the ticket after the scan; absent if there is none. */
export type ScanAnswer = Verdict & { ticket?: OpenedTicket | undefined }

/** The result of an undo or a note. */
export type DeskAnswer = { done: boolean; message: string }
