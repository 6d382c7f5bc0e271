/** Response types of the check-in routes, shared by the server and the browser. */
import type { ValidationDecision } from '@/lib/admission/decide'
import type { TicketDetails } from '@/lib/admission/ticket-details'
import type { Turnout } from '@/lib/admission/turnout'

export type ScanKind = ValidationDecision['outcome'] | 'unknown'

/** The outcome of a scan. It is stored with the idempotency key, so that a retry returns the same outcome. */
export type ScanOutcome = {
  kind: ScanKind
  message: string
  /** Whether this scan changed the ticket's status to checked in. False for another admission with a ticket that is already checked in. */
  didCheckIn: boolean
}

export type ScanResponse = ScanOutcome & {
  /** Whether this is the outcome of an earlier request with the same idempotency key. */
  replayed: boolean
  /** The ticket after the scan; absent if the code is unknown or the caller may not see the ticket. */
  ticket?: TicketDetails | undefined
}

/** The response to an undo or a change to notes. `message` is shown if the change was not made (`done` is false). */
export type ActionResponse = { done: boolean; message: string }

/** The counts, and when the server sent them, in milliseconds since 1970 on its clock. */
export type TurnoutResponse = Turnout & { at: number }
