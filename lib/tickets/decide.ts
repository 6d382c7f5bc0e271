/** Whether a ticket gets its guest in: the rules of a validation, without a database. */
import { clockIn, dayIn } from '../time'
import { type CheckIn, MAX_METADATA, type MetadataEntry, type Ticket } from './ticket'

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
  checkIn: boolean
  metadata: MetadataChange[]
  actorId: string
  /** A door of one event: tickets of other pages are refused. */
  onlyPageId?: string | undefined
}

export type Decision = {
  success: boolean
  reason?: 'already_checked_in' | 'canceled' | 'other_event'
  outcome: 'admitted' | 'looked' | 'already_checked_in' | 'canceled' | 'other_event'
  message: string
  /** The entry to append. */
  entry?: CheckIn
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

const longDay = (day: string) =>
  new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' }).format(new Date(`${day}T00:00:00Z`))

const WAYS = { QRSCAN: 'by QR scan', MANUAL: 'by hand' }

function alreadyIn({ ticket, lastAt, timeZone }: Situation): string {
  const { latestCheckIn } = ticket
  if (!latestCheckIn) return 'Already checked in'
  const time = lastAt ? ` at ${clockIn(timeZone, lastAt)}` : ''
  return `Already checked in on ${longDay(latestCheckIn.checkedInAt)}${time} ${WAYS[latestCheckIn.method]}`
}

const canceled = ({ ticket, timeZone }: Situation) =>
  ticket.canceledAt ? `This ticket was canceled on ${longDay(dayIn(timeZone, new Date(ticket.canceledAt)))}` : 'This ticket is canceled'

/**
 * Decides a validation as contract.md, "Ticket validation", has it.
 *
 * @throws {TooMuchMetadata} where the ticket would have more than 50 entries
 */
export function decide(situation: Situation, { checkIn, metadata: changes, actorId, onlyPageId }: Wish): Decision {
  const { ticket, entryPolicy, timeZone, now } = situation
  if (onlyPageId !== undefined && ticket.pageId !== onlyPageId) {
    const message = `This ticket is for ${situation.pageName ?? 'another event'}`
    return { success: false, reason: 'other_event', outcome: 'other_event', message }
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
  const entry: CheckIn = { method: 'QRSCAN', checkedInAt: dayIn(timeZone, now), checkedInByUserId: actorId, status: 'CHECKEDIN' }
  return { success: true, outcome: 'admitted', message, entry, ...stored }
}
