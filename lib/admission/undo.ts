/** Undoes a check-in by appending an entry with the reason, so that the history is kept. */

import { boundedText } from '../catalog/shapes'
import { type Change, type ChangeResult, changeTicket, type Serialize } from './change-ticket'
import { decideUndo, type UndoInput } from './decide'

/** The reason for an undo: 1 to 200 characters, not blank. */
export const undoReason = boundedText(1, 200).refine((reason) => reason.trim() !== '' && !/\p{Cc}/u.test(reason) && reason.isWellFormed())

export type Undo = Change & UndoInput

/** Undoes a check-in once, however often it is requested. Returns and throws as `changeTicket` does. */
export function undoCheckIn(undo: Undo, serialize: Serialize): Promise<ChangeResult> {
  return changeTicket('undo', undo, (context) => decideUndo(context, undo), serialize)
}
