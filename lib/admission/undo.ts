/** Takes a check-in back: an entry is appended that says so and why; what happened stays in the history. */

import { boundedText } from '../catalog/shapes'
import { dayIn } from '../core/time'
import { type Answer, type Change, changeTicket } from './change-ticket'
import { sayWhen, WAYS } from './check-in-time'
import { type Decision, otherEvent, type Situation } from './decide'

/** Why a check-in is taken back: 1 to 200 characters, not blank. */
export const undoReason = boundedText(1, 200).refine((reason) => reason.trim() !== '' && !/\p{Cc}/u.test(reason) && reason.isWellFormed())

export type UndoWish = {
  /** The place in the history, from 1, of the entry that is taken back; 0 where a ticket came checked in and without a history. */
  sequence: number
  reason: string
  actorId: string
  /** A door of one event: tickets of other pages are refused. */
  onlyPageId?: string | undefined
}

/** Decides an undo. Only the last entry can be taken back, so that none ever reopens one which came after it. */
export function decideUndo(situation: Situation, { sequence, reason, actorId, onlyPageId }: UndoWish): Decision {
  const { ticket, lastAt, timeZone, now } = situation
  const { checkIns: entries, latestCheckIn: last } = ticket
  if (onlyPageId !== undefined && ticket.pageId !== onlyPageId) {
    return { success: false, reason: 'other_event', message: otherEvent(situation) }
  }
  if (sequence < entries.length && last?.status === 'CHECKEDIN') {
    const message = `The guest was let in again on ${sayWhen(last.checkedInAt, lastAt, timeZone)} ${WAYS[last.method]}. Look at the ticket before you undo that`
    return { success: false, reason: 'newer_check_in', message }
  }
  // Someone was quicker, and it is as it was asked to be: this is no failure.
  if (sequence === entries.length - 1 && last?.status === 'UNCHECKEDIN')
    return { success: true, message: 'This check-in was undone already' }
  if (sequence !== entries.length || ticket.checkInStatus !== 'CHECKEDIN') {
    return { success: false, reason: 'not_checked_in', message: 'There is no such check-in to undo. Look at the ticket again' }
  }
  return {
    success: true,
    message: 'Check-in undone. The ticket lets its guest in again',
    entry: { method: 'MANUAL', checkedInAt: dayIn(timeZone, now), checkedInByUserId: actorId, status: 'UNCHECKEDIN' },
    why: reason,
  }
}

export type Undo = Change & UndoWish

/** Takes a check-in back, once, however often it is asked for. Answers and throws as `changeTicket`. */
export function undoCheckIn(undo: Undo): Promise<Answer> {
  return changeTicket(undo, (situation) => decideUndo(situation, undo))
}
