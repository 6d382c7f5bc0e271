/** Notes on a ticket, which are its metadata: added, changed and removed without letting anyone in. */
import { type Answer, type Change, changeTicket } from './change-ticket'
import { canceled, type Decision, type MetadataChange, mergeMetadata, otherEvent, type Situation } from './decide'

export type NoteWish = {
  metadata: MetadataChange[]
  /** A door of one event: tickets of other pages are refused. */
  onlyPageId?: string | undefined
}

/** Merges as a validation does, and as there a canceled ticket takes none. @throws {TooMuchMetadata} */
export function decideNote(situation: Situation, { metadata: changes, onlyPageId }: NoteWish): Decision {
  const { ticket, now } = situation
  if (onlyPageId !== undefined && ticket.pageId !== onlyPageId) {
    return { success: false, reason: 'other_event', message: otherEvent(situation) }
  }
  if (ticket.status === 'CANCELED') return { success: false, reason: 'canceled', message: canceled(situation) }
  return { success: true, message: 'Metadata updated', metadata: mergeMetadata(ticket.metadata, changes, now).metadata }
}

/** Changes what is noted on a ticket. Answers and throws as `changeTicket`. */
export function noteOnTicket(note: Change & NoteWish): Promise<Answer> {
  return changeTicket(note, (situation) => decideNote(situation, note))
}
