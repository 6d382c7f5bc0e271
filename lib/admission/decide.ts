/** Whether a ticket gets its guest in: the rules of a validation, without a database. */

import { type CheckIn, MAX_METADATA, type MetadataEntry, type Ticket } from '../catalog/ticket'
import { dayIn } from '../core/time'
import { longDay, sayWhen, WAYS } from './check-in-time'

/** One member of a request's `metadata`; null takes the key away. */
export type MetadataChange = { key: string; value: string | null }

export type Situation = {
  /** The ticket as it stands, under its row's lock. */
  ticket: Ticket
  /** The instant of its last entry, where that is known. */
  lastAt: Date | undefined
  entryPolicy: 'single' | 'multiple'
  /** The name of the ticket's page, where it has one. */
  pageName: string | undefined
  timeZone: string
  now: Date
}

export type Wish = {
  /** False looks, and admits nobody. */
  checkIn: boolean
  metadata: MetadataChange[]
  actorId: string
  /** By hand where nothing was scanned. */
  method?: CheckIn['method']
  /** A door of one event: tickets of other pages are refused. */
  onlyPageId?: string | undefined
}

export type Decision = {
  success: boolean
  reason?: 'already_checked_in' | 'canceled' | 'other_event' | 'newer_check_in' | 'not_checked_in'
  /** How the attempt is kept; an undo or a note is none. */
  outcome?: 'admitted' | 'looked' | 'already_checked_in' | 'canceled' | 'other_event'
  message: string
  /** The entry to append. */
  entry?: CheckIn
  /** The person's reason for it, which is kept beside it and not served. */
  why?: string
  /** The metadata to store, where it changes. */
  metadata?: MetadataEntry[]
}

/** Metadata would have more entries than a ticket may hold. */
export class TooMuchMetadata extends Error {}

type Merged = { metadata: MetadataEntry[]; deleted: string[] }

/** Merges by key: what stands keeps its place, what is new comes behind. */
export function mergeMetadata(before: MetadataEntry[], changes: MetadataChange[], now: Date): Merged {
  const entries = new Map(before.map((entry) => [entry.key, entry]))
  const deleted: string[] = []
  const addedAt = now.toISOString()
  for (const { key, value } of changes) {
    if (value !== null) entries.set(key, { key, value, addedAt })
    else if (entries.delete(key)) deleted.push(key)
  }
  if (entries.size > MAX_METADATA) throw new TooMuchMetadata()
  return { metadata: [...entries.values()], deleted }
}

function alreadyIn({ ticket, lastAt, timeZone }: Situation): string {
  const { latestCheckIn: last } = ticket
  return last ? `Already checked in on ${sayWhen(last.checkedInAt, lastAt, timeZone)} ${WAYS[last.method]}` : 'Already checked in'
}

export const canceled = ({ ticket, timeZone }: Situation) =>
  ticket.canceledAt ? `This ticket was canceled on ${longDay(dayIn(timeZone, new Date(ticket.canceledAt)))}` : 'This ticket is canceled'

/** To the door of one event, about a ticket of another. */
export const otherEvent = ({ pageName }: Situation) => `This ticket is for ${pageName ?? 'another event'}`

/**
 * Decides a validation as contract.md, "Ticket validation", has it.
 *
 * @throws {TooMuchMetadata} where the ticket would have more than 50 entries
 */
export function decide(situation: Situation, { checkIn, metadata: changes, actorId, method = 'QRSCAN', onlyPageId }: Wish): Decision {
  const { ticket, entryPolicy, timeZone, now } = situation
  if (onlyPageId !== undefined && ticket.pageId !== onlyPageId) {
    return { success: false, reason: 'other_event', outcome: 'other_event', message: otherEvent(situation) }
  }
  // Spec silent: when `success` is false. A canceled ticket admits nobody and takes no metadata.
  if (ticket.status === 'CANCELED') return { success: false, reason: 'canceled', outcome: 'canceled', message: canceled(situation) }

  const merged = changes.length > 0 ? mergeMetadata(ticket.metadata, changes, now) : undefined
  const stored = merged ? { metadata: merged.metadata } : {}
  const deleted = merged && merged.deleted.length > 0 ? `. Deleted: ${merged.deleted.join(', ')}` : ''

  if (ticket.checkInStatus === 'CHECKEDIN' && entryPolicy === 'single') {
    const updated = merged ? `. Metadata updated${deleted}` : ''
    return {
      success: false,
      reason: 'already_checked_in',
      outcome: 'already_checked_in',
      message: alreadyIn(situation) + updated,
      ...stored,
    }
  }
  const message = `Ticket validated${merged ? ' and metadata updated' : ''}${deleted}`
  // Spec silent: a look. It answers as an admission would, and admits nobody.
  if (!checkIn) return { success: true, outcome: 'looked', message, ...stored }
  // Spec silent: what a check-in by the API holds.
  const entry: CheckIn = { method, checkedInAt: dayIn(timeZone, now), checkedInByUserId: actorId, status: 'CHECKEDIN' }
  return { success: true, outcome: 'admitted', message, entry, ...stored }
}
