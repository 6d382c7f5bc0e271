/** UI text for check-in conflicts. */
import type { ConflictKind } from '@/lib/admission/conflicts'
import { formatPlural } from './format'

export const conflictCopy = {
  title: 'Check-in conflicts',
  hint: 'Scans that need review because a device was offline. If a ticket was admitted twice, the earlier entry counts as the check-in.',
  back: 'Check-in devices',
  none: 'No conflicts',
  noneHint: 'If two doors admit the same ticket while one of them is offline, both scans appear here.',
  shown: (count: number) => `Showing ${formatPlural(count, 'conflict')}`,
  pages: { previous: 'Previous conflicts', next: 'Next conflicts' },
  columns: { what: 'Conflict', ticket: 'Ticket', scan: 'This scan', checkIn: 'Check-in that counts', review: 'Review' },
  kinds: {
    double_entry: 'Let in at two doors',
    canceled: 'Let in with a canceled ticket',
    unknown_code: 'Let in with an unknown code',
    other_event: 'Let in with a ticket for another event',
    refused_in_error: 'Turned away with a valid ticket',
    not_permitted: 'Recorded by a device without permission',
    unreadable: 'Scan that can’t be read',
  } satisfies Record<ConflictKind, string>,
  override: 'by the person at the door, although the code wasn’t on the device’s list',
  unknownTicket: 'No ticket has this code',
  unreadableTicket: 'Unknown ticket',
  noName: 'No name',
  noCheckIn: 'None',
  reviewedBy: (who: string | null) => `Reviewed by ${who ?? 'a former user'}`,
  review: 'Review',
  reviewNamed: (what: string, whose: string) => `Review: ${what}, ${whose}`,
  reviewTitle: 'Mark as reviewed',
  note: 'Note',
  noteHint: 'What you found out or did, such as “both are in, second ticket paid at the door”',
  noteError: 'Write what you found out or did, in up to 200 characters.',
  submit: 'Mark as reviewed',
  pending: 'Saving…',
  gone: 'This conflict was already reviewed. Reload the page.',
  done: 'Marked as reviewed.',
} as const
