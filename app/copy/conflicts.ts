/** Text of the conflicts at check-in. */
import type { ConflictKind } from '@/lib/admission/conflicts'

export const conflictCopy = {
  title: 'Check-in conflicts',
  hint: 'Scans that a device made without a network, and that contradict another scan or the server. The earlier entry counts as the check-in.',
  back: 'Check-in devices',
  none: 'No conflicts',
  noneHint: 'If two doors let in the same ticket while one of them had no network, both appear here.',
  columns: { what: 'Conflict', ticket: 'Ticket', scan: 'This scan', checkIn: 'Check-in that counts', review: 'Review' },
  kinds: {
    double_entry: 'Let in at two doors',
    canceled: 'Let in with a canceled ticket',
    unknown_code: 'Let in with an unknown code',
    other_event: 'Let in with a ticket for another event',
    refused_in_error: 'Turned away with a valid ticket',
    unreadable: 'Scan that can’t be read, because NEXTAUTH_SECRET has changed',
  } satisfies Record<ConflictKind, string>,
  override: 'by staff, although the code was not on the device',
  unknownTicket: 'No ticket has this code',
  noName: 'No name',
  noCheckIn: 'None',
  reviewedBy: (who: string | null) => `Reviewed by ${who ?? 'a former user'}`,
  review: 'Review',
  reviewNamed: (what: string, whose: string) => `Review: ${what}, ${whose}`,
  reviewTitle: 'Mark as reviewed',
  note: 'Note',
  noteHint: 'What you found out or did, such as “both are in, second ticket paid at the door”',
  noteError: 'Use up to 200 characters.',
  submit: 'Mark as reviewed',
  pending: 'Saving…',
  gone: 'This conflict was already reviewed. Reload the page.',
  done: 'Marked as reviewed.',
} as const
