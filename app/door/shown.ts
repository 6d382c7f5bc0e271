/** The scans as the check-in page shows them. */
import type { ScanKind } from './answers'

/** `offline`: no answer came. `failed`: the request was refused, not the ticket. */
export type ShownKind = ScanKind | 'undone' | 'offline' | 'failed'

/** The facts of a ticket that are shown with its verdict. */
export type ShownTicket = {
  message?: string
  ticketId?: string
  guest?: string | undefined
  type?: string | undefined
  order?: string | undefined
  shortId?: string | undefined
}

export type Shown = { id: number; kind: ShownKind | 'checking'; answer?: ShownTicket | undefined }
