/** The changes that a device's scans make to the counts, until the server's counts include them. */
import type { SealedTicket } from '@/lib/admission/sealed-ticket'
import type { Turnout } from '@/lib/admission/turnout'

/** The change to the counts when this device lets a guest in or out. */
export type Move = {
  /** The event; null if it is not known. */
  pageId: string | null
  /** The change in the number of people inside. */
  inside: 1 | -1
  /** The change in the number of guests who have attended: 0 for a guest who leaves, returns or has no ticket on the list. */
  attended: 0 | 1
}

/** Returns the move of a guest who was let in or out. @param ticket the ticket before the scan; undefined if the code is not on the list */
export function toMove(ticket: SealedTicket | undefined, direction: 'in' | 'out', doorPageId: string | undefined): Move {
  const pageId = ticket?.pageId ?? doorPageId ?? null
  if (direction === 'out') return { pageId, inside: -1, attended: 0 }
  const hasLeft = ticket?.last?.status === 'UNCHECKEDIN' && ticket.last.method === 'QRSCAN'
  const isFirst = ticket !== undefined && ticket.checkInStatus === 'UNCHECKEDIN' && !hasLeft
  return { pageId, inside: 1, attended: isFirst ? 1 : 0 }
}

/** Returns this device's moves that the server's counts do not include. */
export const listOwnMoves = (status: { moves: readonly Move[]; delivered: readonly Move[] } | undefined) =>
  status ? [...status.moves, ...status.delivered] : []

export type OwnMoves = { admitted: number; left: number; attended: number }

/** Counts the moves at an event. @param pageId the event; empty for all events */
export function countMoves(moves: readonly Move[], pageId: string): OwnMoves {
  const here = moves.filter((move) => pageId === '' || move.pageId === pageId)
  const admitted = here.filter(({ inside }) => inside > 0).length
  return { admitted, left: here.length - admitted, attended: here.reduce((sum, { attended }) => sum + attended, 0) }
}

/** Adds moves to the server's counts. */
export const addMoves = (turnout: Turnout, { admitted, left, attended }: OwnMoves): Turnout => ({
  ...turnout,
  inside: Math.max(0, turnout.inside + admitted - left),
  attended: turnout.attended + attended,
})
