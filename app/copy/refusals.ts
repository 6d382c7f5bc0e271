/** UI text for the list of refused scans. */
import type { Refusal } from '@/lib/listing/list-refusals'
import { formatPlural } from './format'

export const refusalCopy = {
  title: 'Refused scans',
  hint: 'Latest first. Refused scans are kept for 400 days.',
  all: 'All refused scans',
  /** Returns a hint such as "On Nov 23, 2026, at Jazz Night. Latest first." @param event null for scans without an event */
  filtered(day: string | undefined, event: string | null | undefined) {
    const place = event === null ? ['without an event'] : event ? [`at ${event}`] : []
    const text = [...(day ? [`on ${day}`] : []), ...place].join(', ')
    return `${text.charAt(0).toUpperCase()}${text.slice(1)}. Latest first.`
  },
  link: 'Refused scans',
  none: 'No refused scans',
  noneHint: 'Guests who are turned away, such as those with a copied or canceled ticket, appear here with the door and the reason.',
  shown: (count: number) => `Showing ${formatPlural(count, 'refused scan')}`,
  what: 'refused scans',
  columns: { at: 'Time', reason: 'Reason', ticket: 'Ticket', event: 'Scanned at', door: 'Door' },
  reasons: {
    already_checked_in: 'Already in',
    not_checked_in: 'Not checked in',
    canceled: 'Canceled',
    other_event: 'Wrong event',
    unknown: 'Unknown code',
  } satisfies Record<Refusal['reason'], string>,
  unknownTicket: 'No ticket has this code',
  noName: 'No name',
  late: 'offline',
  checkedIn: (who: string | null) => (who ? `checked in by ${who},` : 'checked in'),
  canceled: 'on',
  ticketFor: (event: string) => `ticket for ${event}`,
} as const
