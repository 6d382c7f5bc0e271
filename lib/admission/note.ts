/** Changes the notes on a ticket, which are its metadata, without a check-in. */
import { type Change, type ChangeResult, changeTicket, type Serialize } from './change-ticket'
import { decideNote, type NoteInput } from './decide'

/** Adds, changes and deletes notes. Returns and throws as `changeTicket` does. */
export function noteOnTicket(note: Change & NoteInput, serialize: Serialize): Promise<ChangeResult> {
  return changeTicket('note', note, (context) => decideNote(context, note), serialize)
}
