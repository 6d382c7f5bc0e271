/** UI text for notes, and for timeline entries other than the record's own timestamps. */
import type { CheckIn } from '@/lib/catalog/ticket'

export const activityCopy = {
  checkedIn: { QRSCAN: 'Checked in', MANUAL: 'Checked in manually' } satisfies Record<CheckIn['method'], string>,
  checkedOut: { QRSCAN: 'Checked out', MANUAL: 'Check-in undone' } satisfies Record<CheckIn['method'], string>,
  refused: {
    already_checked_in: 'Refused: already checked in',
    canceled: 'Refused: canceled',
    other_event: 'Refused: ticket for another event',
    not_checked_in: 'Check-out refused: not checked in',
  },
  refusedFor: (reason: string) => `Refused: ${reason}`,
  offline: {
    double_entry: 'Admitted a second time, while a device was offline',
    canceled: 'Offline scan: canceled',
    unknown_code: 'Offline scan: code not on the list',
    other_event: 'Offline scan: ticket for another event',
    refused_in_error: 'Offline scan refused in error',
    already_checked_in: 'Refused offline: already checked in',
    not_checked_in: 'Check-out refused offline: not checked in',
    unknown: 'Refused offline: code not on the list',
    not_permitted: 'Offline scan that the device wasn’t allowed to make',
    unreadable: 'Unreadable offline scan',
    undone: 'Undid a check-in that another entry has replaced',
  },
  offlineFor: (what: string) => `Offline scan: ${what}`,
  /** @param type a Stripe event type, such as `payment_intent.succeeded` */
  gateway: (type: string) => `Stripe: ${type.replaceAll(/[._]/g, ' ')}`,
  created: 'Created in Checkout Desk',
  edited: 'Edited',
  erased: 'Personal data erased',
  note: 'Note',
  newest: (count: number) => `Only the newest ${count} entries and the newest ${count} notes are shown.`,
  ticket: (name: string) => `Ticket ${name}`,
} as const

export const noteCopy = {
  label: 'Add a note',
  hint: 'Only your team can see notes.',
  add: 'Add note',
  adding: 'Adding…',
  delete: 'Delete note',
  error: 'Enter a note of up to 2,000 characters.',
  gone: 'This record was deleted while you were writing. Copy your note, then reload the page.',
  deleteGone: 'This note no longer exists, or someone else wrote it.',
  deleted: 'Note deleted',
  undo: 'Undo',
  restored: 'Note restored',
  restoreFailed: 'Couldn’t restore the note.',
} as const
