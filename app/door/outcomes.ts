/** Converts the server's responses and this device's decisions to the results that the page shows. */
import type { Guest } from '@/lib/admission/guests'
import { doorCopy } from '../copy/door'
import type { ChangeResult, DoorResult } from './door-client'
import { formatDoorTime } from './door-time'
import type { EngineScan, ReadCode, ScanRequest } from './offline/scan-request'
import type { ActionResponse, ScanResponse } from './responses'
import type { ShownOutcome } from './scan-result'

/** Returns the details of a guest that are shown with a result. */
export const toDetails = ({ id, name, type, order, shortId }: Guest) => ({ ticketId: id, guest: name, type, order, shortId })

/**
 * Returns the result to show for a scan or a manual check-in that was sent to the server.
 *
 * @param timeZone the event's time zone
 * @param guest the guest of a manual check-in, shown if the response contains no ticket
 */
export function toOutcome(result: ChangeResult<ScanResponse>, timeZone: string, guest?: Guest): ShownOutcome {
  const details: Partial<ReturnType<typeof toDetails>> = guest ? toDetails(guest) : {}
  if (result.outcome === 'ok') {
    const { kind, message, ticket } = result.data
    // Without a ticket in the response, the ticket cannot be opened.
    const { ticketId: _, ...unlinked } = details
    const shown = ticket ? toDetails(ticket.guest) : unlinked
    if (kind === 'admitted' && result.data.replayed && result.firstSentAt)
      return {
        kind: 'replayed',
        details: { message: doorCopy.replayedAt(formatDoorTime(timeZone, result.firstSentAt.getTime())), ...shown },
      }
    // The person or device that made the latest entry, which the message describes.
    const who = kind === 'already_checked_in' ? ticket?.history.at(-1)?.who : undefined
    return { kind, details: { message: who === undefined ? message : `${message} (${who})`, ...shown } }
  }
  return result.outcome === 'offline' ? { kind: 'offline', details } : { kind: 'failed', details: { ...details, message: result.message } }
}

/**
 * Returns the result to show for a ticket that this device checked without the server. The person at the door can override an unknown code
 * only on entry, not on exit or in a preview.
 */
export function toLocalOutcome(
  { decision, scanId, listUpdatedAt, waiting }: Extract<EngineScan, { decidedBy: 'device' }>,
  { id, code, source, name, checkIn, direction }: Pick<ScanRequest, 'id' | 'checkIn' | 'direction'> & Partial<ReadCode> & { name?: string },
  timeZone: string,
): ShownOutcome {
  const { kind, message, ticket } = decision
  const { offline: copy } = doorCopy
  const time = formatDoorTime(timeZone, listUpdatedAt)
  const missing = waiting === undefined ? copy.notListed(time) : copy.mayBeMissing(waiting, time)
  const hint = kind === 'unknown' ? missing : copy.checkedHere(time)
  const others = ticket && ticket.others > 0 ? ` ${copy.others(ticket.others)}.` : ''
  const details = { guest: ticket?.name ?? name, type: ticket?.type ?? undefined, shortId: ticket?.shortId ?? undefined }
  const messageDetails = kind === 'admitted' || kind === 'previewed' || message === undefined ? {} : { message: `${message}.` }
  const override = kind === 'unknown' && checkIn && direction !== 'out' && code !== undefined ? { id, code, source } : undefined
  // While tickets are waiting to be added to the list, a code that is not on the list may still be valid, so the result is not `unknown`.
  return {
    kind: waiting === undefined ? kind : 'failed',
    details: { ...details, ...messageDetails, local: { scanId, hint: `${hint}${others}`, override } },
  }
}

/** Returns the error message of an undo or a note change, or undefined if it succeeded. */
export function getErrorMessage(result: DoorResult<ActionResponse>): string | undefined {
  if (result.outcome === 'offline') return doorCopy.changeOffline
  if (result.outcome === 'refused') return result.message
  return result.data.done ? undefined : result.data.message
}
