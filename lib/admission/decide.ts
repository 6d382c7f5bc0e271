/** The rules of check-in, as pure functions of a ticket and its context. */
import { MAX_METADATA } from '../catalog/limits'
import type { EntryPolicy } from '../catalog/pages'
import type { CheckIn, MetadataEntry, Ticket } from '../catalog/ticket'
import { dayIn, timeOfDayIn } from '../core/time'
import { describeEntryMethod, type ScanSource } from './scan-source'

/** An entry of a request's `metadata`. A null value deletes the key. */
export type MetadataChange = { key: string; value: string | null }

/** Everything that the decision for a validation depends on. */
export type ValidationContext = {
  ticket: Pick<Ticket, 'pageId' | 'status' | 'canceledAt' | 'checkInStatus' | 'latestCheckIn' | 'metadata'>
  /** The time of the latest check-in entry; undefined if there is none, or only its day is known. */
  lastAt: Date | undefined
  /** How the check-in page identified the ticket for the latest entry, if known. */
  lastSource?: ScanSource | null | undefined
  entryPolicy: EntryPolicy
  /** The number of people inside with this ticket in addition to the checked-in guest. */
  extraInside: number
  /** The name of the ticket's event. */
  pageName: string | undefined
  timeZone: string
  now: Date
}

/** Everything that any decision about a ticket depends on. The server reads it while the ticket's row is locked. */
export type TicketContext = ValidationContext & {
  ticket: Ticket
  /** The times of all entries, oldest first, in ISO 8601; undefined if only the day of an entry is known. */
  entryTimes?: readonly (string | undefined)[] | undefined
}

export type ValidationInput = {
  /** Whether the guest enters (the default) or leaves. */
  direction?: 'in' | 'out' | undefined
  /** False for a preview, which does not check the guest in or out. */
  checkIn: boolean
  /** Changes to the metadata. Ignored if the guest leaves. */
  metadata: MetadataChange[]
  /** The ID of the user, API key or check-in device that makes the change. */
  actorId: string
  /** The method of a check-in: `QRSCAN` by default, `MANUAL` if the ticket was found without its code. A check-out is always `QRSCAN`. */
  method?: CheckIn['method']
  /** The door's event; undefined for all events. Tickets for other events are rejected. */
  onlyPageId?: string | undefined
}

/** The outcomes of a successful change. */
export const ACCEPTED = ['admitted', 'checked_out', 'previewed', 'noted', 'undone', 'already_undone'] as const
/** The outcomes of a rejected change. */
const REFUSED = ['already_checked_in', 'canceled', 'other_event', 'newer_check_in', 'history_changed', 'not_checked_in'] as const

export type Outcome = (typeof ACCEPTED)[number] | (typeof REFUSED)[number]

export type Decision<O extends Outcome = Outcome> = {
  outcome: O
  message: string
  /** The check-in entry to append. */
  entry?: CheckIn
  /** The reason for an undo. It is stored with the entry and not returned by the API. */
  undoReason?: string
  /** The ticket's new metadata; absent if it does not change. */
  metadata?: MetadataEntry[]
}

export type ValidationDecision = Decision<
  'admitted' | 'checked_out' | 'previewed' | 'already_checked_in' | 'not_checked_in' | 'canceled' | 'other_event'
>

/** Thrown if a change would leave the ticket with more than 50 metadata entries. */
export class TooMuchMetadataError extends Error {
  override name = 'TooMuchMetadataError'
}

const dayFormat = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' })

/** Formats a day such as `2026-11-20` as `November 20, 2026`. */
const formatDay = (day: string) => dayFormat.format(new Date(`${day}T00:00:00Z`))

/**
 * Formats the time of a check-in, such as `November 20, 2026 at 19:05`.
 *
 * @param at the exact time; undefined if only the day is known, as for imported entries
 */
export const formatCheckInTime = (day: string, at: Date | undefined, timeZone: string) =>
  at ? `${formatDay(day)} at ${timeOfDayIn(timeZone, at)}` : formatDay(day)

/** Describes how and when the latest entry was made, such as `by QR scan on November 20, 2026 at 19:05`. */
const describeLastEntry = ({ lastAt, lastSource: source, timeZone }: ValidationContext, { checkedInAt, method }: CheckIn) =>
  `${describeEntryMethod({ method, source })} on ${formatCheckInTime(checkedInAt, lastAt, timeZone)}`

function refuseCanceled({ ticket, timeZone }: ValidationContext): Decision<'canceled'> {
  const day = ticket.canceledAt && formatDay(dayIn(timeZone, new Date(ticket.canceledAt)))
  return { outcome: 'canceled', message: day ? `This ticket was canceled on ${day}` : 'This ticket is canceled' }
}

/** Returns the rejection of a ticket for an event other than the door's, or undefined if the ticket is for the door's event. */
function refuseOtherEvent({ ticket, pageName }: ValidationContext, onlyPageId: string | undefined): Decision<'other_event'> | undefined {
  if (onlyPageId === undefined || ticket.pageId === onlyPageId) return undefined
  return { outcome: 'other_event', message: `This ticket is for ${pageName ?? 'another event'}` }
}

/**
 * Merges metadata by key. Existing keys keep their position, and new ones are appended.
 *
 * @returns the merged metadata, the keys that were deleted, and whether anything was written or deleted
 * @throws {TooMuchMetadataError}
 */
export function mergeMetadata(before: MetadataEntry[], changes: MetadataChange[], now: Date) {
  const entries = new Map(before.map((entry) => [entry.key, entry]))
  const deleted: string[] = []
  const addedAt = now.toISOString()
  for (const { key, value } of changes) {
    if (value !== null) entries.set(key, { key, value, addedAt })
    else if (entries.delete(key)) deleted.push(key)
  }
  if (entries.size > MAX_METADATA) throw new TooMuchMetadataError()
  const isChanged = deleted.length > 0 || changes.some(({ value }) => value !== null)
  return { metadata: [...entries.values()], deleted, isChanged }
}

/**
 * Returns the decision for a check-out. Guests with canceled tickets can leave too. With the policy `multiple`, each person who entered
 * with the ticket is checked out separately.
 */
function decideCheckOut(context: ValidationContext, { checkIn, actorId }: ValidationInput): ValidationDecision {
  const { ticket, timeZone, now, entryPolicy, extraInside } = context
  const isIn = ticket.checkInStatus === 'CHECKEDIN' || (entryPolicy === 'multiple' && extraInside > 0)
  const message = isIn ? 'This ticket is checked in' : 'This ticket is not checked in'
  if (!checkIn) return { outcome: 'previewed', message }
  if (!isIn) return { outcome: 'not_checked_in', message }
  const entry: CheckIn = { method: 'QRSCAN', checkedInAt: dayIn(timeZone, now), checkedInByUserId: actorId, status: 'UNCHECKEDIN' }
  return { outcome: 'checked_out', message: 'Checked out', entry }
}

/** The state of a ticket that an entry policy is applied to. */
export type TicketUsage = Pick<Ticket, 'checkInStatus'> & {
  entryPolicy: EntryPolicy
  /** The method of the latest check-in entry, if there is one. */
  lastMethod: CheckIn['method'] | null | undefined
}

/** Returns the state that makes the policy refuse another check-in, or undefined if the policy allows one. */
export function findPriorUse({ checkInStatus, entryPolicy, lastMethod }: TicketUsage): 'checked_in' | 'checked_out' | undefined {
  if (entryPolicy === 'multiple') return undefined
  if (checkInStatus === 'CHECKEDIN') return 'checked_in'
  // With `reentry`, a ticket is valid again once its guest has left. An undo, whose method is `MANUAL`, makes it valid with every policy.
  return entryPolicy === 'reentry' || lastMethod !== 'QRSCAN' ? undefined : 'checked_out'
}

/** Returns why a ticket cannot be checked in again, or undefined if it can. */
function describeRefusal(context: ValidationContext): string | undefined {
  const { entryPolicy, ticket } = context
  const { checkInStatus, latestCheckIn: last } = ticket
  const use = findPriorUse({ entryPolicy, checkInStatus, lastMethod: last?.method })
  if (use === undefined) return undefined
  const entry = last ? ` ${describeLastEntry(context, last)}` : ''
  return use === 'checked_in' ? `Already checked in${entry}` : `Already used. The guest was checked out${entry}`
}

/**
 * Returns the decision for a validation.
 *
 * @throws {TooMuchMetadataError}
 */
export function decideValidation(context: ValidationContext, input: ValidationInput): ValidationDecision {
  const { ticket, timeZone, now } = context
  const { checkIn, metadata: changes, actorId, method = 'QRSCAN', onlyPageId } = input
  const otherEvent = refuseOtherEvent(context, onlyPageId)
  if (otherEvent) return otherEvent
  if (input.direction === 'out') return decideCheckOut(context, input)
  // Not specified: when `success` is false. A canceled ticket is not admitted and does not accept metadata.
  if (ticket.status === 'CANCELED') return refuseCanceled(context)

  const merged = changes.length > 0 ? mergeMetadata(ticket.metadata, changes, now) : undefined
  const newMetadata = merged?.isChanged ? { metadata: merged.metadata } : {}
  const deletedKeys = merged && merged.deleted.length > 0 ? `. Deleted: ${merged.deleted.join(', ')}` : ''

  const refusal = describeRefusal(context)
  if (refusal !== undefined)
    return { outcome: 'already_checked_in', message: `${refusal}${merged ? `. Metadata updated${deletedKeys}` : ''}`, ...newMetadata }
  const message = `Ticket validated${merged ? ' and metadata updated' : ''}${deletedKeys}`
  // Not specified: a preview. It returns the response of an admission without checking in.
  if (!checkIn) return { outcome: 'previewed', message, ...newMetadata }
  // Not specified: the members of a check-in through the API.
  const entry: CheckIn = { method, checkedInAt: dayIn(timeZone, now), checkedInByUserId: actorId, status: 'CHECKEDIN' }
  return { outcome: 'admitted', message, entry, ...newMetadata }
}

export type NoteInput = Pick<ValidationInput, 'metadata' | 'onlyPageId'>

/** Returns the decision for a change to a ticket's notes, which are its metadata. @throws {TooMuchMetadataError} */
export function decideNote(context: TicketContext, { metadata: changes, onlyPageId }: NoteInput): Decision {
  const { ticket, now } = context
  const otherEvent = refuseOtherEvent(context, onlyPageId)
  if (otherEvent) return otherEvent
  if (ticket.status === 'CANCELED') return refuseCanceled(context)
  const { metadata, isChanged } = mergeMetadata(ticket.metadata, changes, now)
  return { outcome: 'noted', message: 'Metadata updated', ...(isChanged && { metadata }) }
}

export type UndoInput = {
  /** The position of the entry to undo in the history, starting at 1; 0 if the ticket was imported as checked in without a history. */
  sequence: number
  /**
   * The time of that entry, in ISO 8601. An offline scan that arrives late may put another entry in that position. Absent if the time is
   * unknown, as in requests from older versions of the check-in page.
   */
  at?: string | undefined
  reason: string
  actorId: string
  /** The door's event; undefined for all events. Tickets for other events are rejected. */
  onlyPageId?: string | undefined
}

/**
 * Returns the decision for undoing a check-in, or a check-out by scan. Only the latest entry can be undone, so that a delayed undo never
 * reverts a newer entry. With `at`, an undo never reverts an entry that its author has not seen.
 */
export function decideUndo(context: TicketContext, { sequence, at, reason, actorId, onlyPageId }: UndoInput): Decision {
  const { ticket, timeZone, now, entryTimes = [] } = context
  const { checkIns: entries, latestCheckIn: last } = ticket
  const otherEvent = refuseOtherEvent(context, onlyPageId)
  if (otherEvent) return otherEvent
  if (at !== undefined && entryTimes[sequence - 1] !== at) {
    const message = 'An offline scan has since changed this ticket’s check-in history. Review the ticket, then try again'
    return { outcome: 'history_changed', message }
  }
  if (sequence < entries.length && last?.status === 'CHECKEDIN') {
    const message = `The guest was checked in again ${describeLastEntry(context, last)}. Review the ticket before you undo that check-in`
    return { outcome: 'newer_check_in', message }
  }
  // A concurrent undo finished first. The ticket is already in the requested state, so this is not a failure.
  if (sequence === entries.length - 1 && last?.status === 'UNCHECKEDIN' && last.method === 'MANUAL')
    return { outcome: 'already_undone', message: 'This check-in was already undone' }
  const isCheckOut = last?.status === 'UNCHECKEDIN' && last.method === 'QRSCAN'
  const manualEntry = { method: 'MANUAL', checkedInAt: dayIn(timeZone, now), checkedInByUserId: actorId } as const
  if (sequence === entries.length && isCheckOut) {
    const entry = { ...manualEntry, status: 'CHECKEDIN' } as const
    return { outcome: 'undone', message: 'Check-out undone. The guest is checked in', entry, undoReason: reason }
  }
  if (sequence !== entries.length || ticket.checkInStatus !== 'CHECKEDIN') {
    return { outcome: 'not_checked_in', message: 'There is no such check-in to undo. Review the ticket' }
  }
  return {
    outcome: 'undone',
    message: 'Check-in undone. The ticket can be used again',
    entry: { ...manualEntry, status: 'UNCHECKEDIN' },
    undoReason: reason,
  }
}
