/** UI text for the check-in conflicts page. */
import type { ConflictKind } from '@/lib/admission/conflicts'
import { formatPlural } from './format'

export const conflictCopy = {
  title: 'Check-in conflicts',
  hint: 'Scans that need review because a device was offline. If a ticket was used twice, the earlier entry counts as the check-in.',
  back: 'Check-in devices',
  none: 'No conflicts',
  noneHint: 'If the same ticket is used at two doors while one of their devices is offline, the conflict appears here.',
  shown: (count: number) => `Showing ${formatPlural(count, 'conflict')}`,
  pages: { previous: 'Previous conflicts', next: 'Next conflicts' },
  columns: { what: 'Conflict', ticket: 'Ticket', scan: 'Conflicting scan', checkIn: 'Current check-in', review: 'Review' },
  kinds: {
    double_entry: 'Let in more than once',
    canceled: 'Let in with a canceled ticket',
    unknown_code: 'Let in with an unknown code',
    other_event: 'Let in with a ticket for another event',
    refused_in_error: 'Turned away with a valid ticket',
    not_permitted: 'Not allowed on this device',
    unreadable: 'Unreadable scan',
  } satisfies Record<ConflictKind, string>,
  override: 'by the person at the door, although the code wasn’t on the device’s list',
  unknownTicket: 'No matching ticket',
  unreadableTicket: 'Unknown ticket',
  noName: 'No name',
  noCheckIn: 'None',
  reviewedBy: (who: string | null) => `Reviewed by ${who ?? 'a former user'}`,
  review: 'Review',
  reviewAccessibleName: (what: string, whose: string) => `Review: ${what}, ${whose}`,
  reviewTitle: 'Mark as reviewed',
  note: 'Note',
  noteHint: 'What you found or did, such as “Both guests admitted; second ticket paid at the door”',
  noteError: 'Enter a note (up to 200 characters).',
  submit: 'Mark as reviewed',
  pending: 'Saving…',
  gone: 'This conflict was already reviewed or no longer exists. Reload the page.',
  reviewed: 'Marked as reviewed.',
} as const
