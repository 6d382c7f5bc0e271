/** What the door's page is told about a ticket: the same on the server that says it and in the browser that shows it. */

/** Why a ticket that there is lets nobody in. */
export const REFUSALS = ['already_checked_in', 'canceled', 'other_event'] as const

export type ScanKind = 'admitted' | 'looked' | 'unknown' | (typeof REFUSALS)[number]

export type ScanAnswer = {
  kind: ScanKind
  /** For a person. */
  message: string
  /** Absent where there is no such ticket. */
  ticketId?: string | undefined
  guest?: string | undefined
  type?: string | undefined
  order?: string | undefined
  shortId?: string | undefined
}

/** What became of an undo or a note. */
export type DeskAnswer = { done: boolean; message: string }
