/** Adds this device's scans to the server's counts until the counts include them. */
import type { SealedTicket } from '@/lib/admission/sealed-ticket'
import type { Turnout } from '@/lib/admission/turnout'
import { isCheckOut } from '../is-check-out'

/** How the counts change when this device lets a guest in or out. */
export type CountChange = {
  /** The ID of the event; null if it is unknown. */
  pageId: string | null
  /** The change in the number of people inside. */
  inside: 1 | -1
  /** The change in the number of guests who have attended: 1 if the ticket is checked in for the first time or after an undo. */
  attended: 0 | 1
}

/**
 * Returns how a scan that let a guest in or out changes the counts.
 *
 * @param ticket the ticket before the scan; undefined if the code is not on the list
 * @param doorPageId the event selected on the device, which is used if the ticket has none; undefined for all of the device's events
 */
export function toCountChange(ticket: SealedTicket | undefined, direction: 'in' | 'out', doorPageId: string | undefined): CountChange {
  const pageId = ticket?.pageId ?? doorPageId ?? null
  if (direction === 'out') return { pageId, inside: -1, attended: 0 }
  const hasLeft = ticket?.last ? isCheckOut(ticket.last) : false
  const isFirst = ticket !== undefined && ticket.checkInStatus === 'UNCHECKEDIN' && !hasLeft
  return { pageId, inside: 1, attended: isFirst ? 1 : 0 }
}

/** Numbers of people: let in, let out, and let in for the first time. */
export type CountChangeTotals = { admitted: number; left: number; attended: number }

/**
 * Totals the changes to an event's counts made by this device's scans that the server's counts do not include yet.
 *
 * @param status undefined on a device without a list
 * @param pageId the event; empty for all events
 */
export function sumCountChanges(
  status: { countChanges: readonly CountChange[]; delivered: readonly CountChange[] } | undefined,
  pageId: string,
): CountChangeTotals {
  const changes = status ? [...status.countChanges, ...status.delivered] : []
  const matching = changes.filter((change) => pageId === '' || change.pageId === pageId)
  const admitted = matching.filter(({ inside }) => inside > 0).length
  return { admitted, left: matching.length - admitted, attended: matching.reduce((sum, { attended }) => sum + attended, 0) }
}

/** Adds the changes to the server's counts. The number of people inside is at least 0, and the counts per ticket type do not change. */
export const applyCountChanges = (turnout: Turnout, { admitted, left, attended }: CountChangeTotals): Turnout => ({
  ...turnout,
  inside: Math.max(0, turnout.inside + admitted - left),
  attended: turnout.attended + attended,
})
