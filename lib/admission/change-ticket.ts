/** Changes a ticket in one transaction: locks its row, decides the outcome, and writes the changes, the attempt and the response. */
import { createHash } from 'node:crypto'
import { type Connection, database } from '@/db/client'
import { withTicketLock } from '@/db/semaphore'
import type { EntryPolicy } from '../catalog/pages'
import { type CheckIn, composeTicket, type MetadataEntry, parseStoredTicket, type Ticket } from '../catalog/ticket'
import { ApiError } from '../core/errors'
import { metrics } from '../core/metrics'
import {
  ACCEPTED,
  type Decision,
  decideNote,
  decideUndo,
  decideValidation,
  type NoteInput,
  type Outcome,
  type TicketContext,
  type UndoInput,
  type ValidationInput,
} from './decide'
import { ConcurrentChangeError, retryConcurrentChange, type StoredResponse } from './idempotency-keys'
import type { ScanSource } from './scan-source'
import { CONTEXT, LOCK_TICKET, type TicketLookup, type WriteKind, writeStatement } from './statements'
import { readTicketDetails, type TicketDetails } from './ticket-details'
import { checkOutUnlistedGuest } from './unlisted-guests'

/** Identifies a ticket by the exact content of its QR code, or by its ID. */
export type TicketAddress = { code: string } | { ticketId: string }

export type Change = TicketAddress & {
  sellerId: string
  /** The ID of the user, API key or check-in device that makes the change. */
  actorId: string
  /** The name of the check-in device, or the device name in the request. Stored with the attempt. */
  device?: string | undefined
  idempotencyKey?: string | undefined
  /** The original request body. A repeated idempotency key must be sent with the same ticket and body. */
  body: unknown
  /** The event selected on the device; undefined for all events. Tickets for other events are rejected. */
  onlyPageId?: string | undefined
  /** How the check-in page identified the ticket. */
  source?: ScanSource | undefined
  /**
   * Set if the code may have been typed: if no ticket has exactly this code, case and spaces are ignored. With `hasShortIds`, short IDs are
   * accepted too.
   */
  typed?: { hasShortIds: boolean } | undefined
  /** If set, the same transaction also reads the ticket's details, as the check-in page shows them, and returns them. */
  shouldReadDetails?: true | undefined
}

/**
 * The result of a change. A `DecidedResult` contains the ticket after the change. `unknown` means that the seller has no such ticket,
 * `idempotency_mismatch` that the idempotency key was used with a different request, and `let_out` that a guest who had been let in without
 * a ticket for the event has left.
 */
export type TicketResult = { outcome: 'unknown' | 'idempotency_mismatch' | 'let_out' } | DecidedResult
export type DecidedResult = {
  outcome: Outcome
  success: boolean
  message: string
  ticket: Ticket
  /** Whether this change checked the ticket in. False if the ticket was already checked in, even if another guest was admitted. */
  didCheckIn: boolean
}

/** The response to a change. It is stored under the idempotency key, if any, and a repeated key returns it byte for byte. */
export type SerializedResponse = { status: number; body: string }
/** Converts a result to the response. */
export type Serialize = (result: TicketResult) => SerializedResponse

export type ChangeResult = {
  /** Absent if the response stored under the idempotency key was returned. */
  result?: TicketResult
  response: SerializedResponse
  /** The details requested with `shouldReadDetails`. Absent if no ticket was found, or for `idempotency_mismatch` and `let_out`. */
  details?: TicketDetails | undefined
}

/** Decides the outcome of a change. Called while the ticket's row is locked. */
export type Decide = (context: TicketContext) => Decision

export type ChangeKind = 'validation' | 'note' | 'undo'

type LockedTicket = {
  id: string
  code: string
  /** The ticket's stored record as JSON. */
  record: string
  /** The metadata entries as JSON. */
  metadata: string
  checkInStatus: Ticket['checkInStatus']
  checkInCount: number
  /** The time of the last change that is not in the record, such as a note, or a cancellation of the booking. */
  changedAt: string | null
  /** When the booking was refunded or canceled, in ISO 8601. */
  revokedAt: string | null
  /** The number of people inside with this ticket in addition to the checked-in guest. */
  extraInside: number
}

/** An entry of a ticket's history. The source is absent if it is unknown, as for check-ins through the API. */
type Entry = CheckIn & { at?: string; source?: ScanSource; isCurrent: boolean }

type ContextRow = {
  timeZone: string
  /** ISO 8601. */
  now: string
  /** Null if no ticket has the code or ID. */
  ticketId: string | null
  entryPolicy: EntryPolicy | null
  pageName: string | null
  /** The ticket's entries as JSON, oldest first; null if it has none. */
  entries: string | null
  /** The response stored under the idempotency key. */
  stored: StoredResponse | null
}

/** Returns the fingerprint that is stored with an idempotency key: a hash of the ticket's code or ID and the body. */
const hashChange = (change: Change) =>
  createHash('sha256')
    .update(JSON.stringify(['code' in change ? change.code : { ticketId: change.ticketId }, change.body]))
    .digest()

/** An event to write. `data` is the ticket after the change, as JSON. */
type TicketEvent = { type: 'ticket.checked_in' | 'ticket.checked_out' | 'ticket.updated'; data: string }

type Write = {
  now: string
  attempt?: Outcome | 'unknown' | 'idempotency_mismatch' | undefined
  ticket?: Pick<Ticket, 'id' | 'pageId' | 'ticketTypeId'> | undefined
  /** The change in the number of people inside in addition to the checked-in guest. */
  extra?: WriteKind['extra']
  /**
   * The decision, if there is one. `sequence` is the position of a new entry, and `hasCurrentEntry` whether the guest is already checked
   * in.
   */
  decided?: { decision: Decision; sequence: number; hasCurrentEntry: boolean }
  event?: TicketEvent | undefined
  response?: SerializedResponse
}

/**
 * The maximum number of entries in a ticket's history. Each scan reads all of them, and stores them with its event and its response, so
 * without a limit, scans of a few tickets could keep all connections for check-in busy and fill the disk.
 */
const MAX_ENTRIES = 10_000

/** The SQLSTATE that `writeStatement`'s query raises on purpose if a concurrent request has just used the idempotency key. */
const DIVISION_BY_ZERO = '22012'

/** Writes a change. @throws {ConcurrentChangeError} if a concurrent request has just used the same idempotency key */
async function write(
  { rows }: Connection,
  change: Change,
  { now, attempt, ticket, extra = 0, decided, event, response }: Write,
): Promise<void> {
  const { sellerId, actorId, device, idempotencyKey, onlyPageId, source } = change
  const { entry, undoReason, metadata } = decided?.decision ?? {}
  const isKeyed = response !== undefined && idempotencyKey !== undefined
  const isCheckIn = entry?.status === 'CHECKEDIN'
  const query = writeStatement({
    attempt: attempt !== undefined,
    entry: entry && (isCheckIn ? 'in' : 'out'),
    leaves: decided?.decision.outcome === 'checked_out',
    extra,
    metadata: metadata !== undefined,
    event: event !== undefined,
    response: isKeyed,
  })
  const written = rows(query, {
    seller: sellerId,
    now,
    ticketId: ticket?.id ?? null,
    attempt,
    doorPageId: onlyPageId ?? null,
    pageId: ticket?.pageId ?? null,
    typeId: ticket?.ticketTypeId ?? null,
    actorId,
    device: device ?? null,
    sequence: decided?.sequence,
    method: entry?.method,
    source: source ?? null,
    status: entry?.status,
    day: entry?.checkedInAt,
    undoReason: undoReason ?? null,
    isCurrent: isCheckIn && !decided?.hasCurrentEntry,
    metadata: metadata && JSON.stringify(metadata),
    eventType: event?.type,
    eventData: event?.data,
    ...(isKeyed && { key: idempotencyKey, fingerprint: hashChange(change), responseStatus: response.status, response: response.body }),
  })
  await written.catch((error: { code?: unknown }) => {
    throw error.code === DIVISION_BY_ZERO ? new ConcurrentChangeError() : error
  })
}

/** Returns the context for a decision about the locked ticket. */
function toContext(ticket: LockedTicket, row: ContextRow, entries: Entry[]): TicketContext {
  const last = entries.at(-1)
  const checkInState = {
    checkIns: entries.map(({ at: _at, source: _source, isCurrent: _isCurrent, ...checkIn }) => checkIn),
    checkInStatus: ticket.checkInStatus,
    metadata: JSON.parse(ticket.metadata) as MetadataEntry[],
    changedAt: ticket.changedAt ?? undefined,
  }
  return {
    ticket: composeTicket(parseStoredTicket(ticket.record, ticket.revokedAt), checkInState),
    lastAt: last?.at ? new Date(last.at) : undefined,
    entryTimes: entries.map(({ at }) => at),
    lastSource: last?.source,
    entryPolicy: row.entryPolicy ?? 'single',
    extraInside: ticket.extraInside,
    pageName: row.pageName ?? undefined,
    timeZone: row.timeZone,
    now: new Date(row.now),
  }
}

/** Returns the ticket as it is after a decision. */
function applyDecision({ ticket, now }: TicketContext, { entry, metadata }: Decision): Ticket {
  if (!entry && !metadata) return ticket
  const { checkIns: entries, latestCheckIn: _, checkInStatus, metadata: before, ...stored } = ticket
  return composeTicket(stored, {
    checkIns: entry ? [...entries, entry] : entries,
    checkInStatus: entry?.status ?? checkInStatus,
    metadata: metadata ?? before,
    changedAt: now.toISOString(),
  })
}

function toResult(context: TicketContext, decision: Decision): DecidedResult {
  const { outcome, message } = decision
  const success = (ACCEPTED as readonly Outcome[]).includes(outcome)
  const ticket = applyDecision(context, decision)
  const didCheckIn = ticket.checkInStatus === 'CHECKEDIN' && context.ticket.checkInStatus === 'UNCHECKEDIN'
  return { outcome, success, message, ticket, didCheckIn }
}

/**
 * Returns the event to write for a decision; undefined if the decision does not change the ticket.
 *
 * @param ticket the ticket after the decision
 */
function toEvent(before: TicketContext, { entry, metadata }: Decision, ticket: Ticket): TicketEvent | undefined {
  const data = () => JSON.stringify(ticket)
  if (entry) return { type: entry.status === 'CHECKEDIN' ? 'ticket.checked_in' : 'ticket.checked_out', data: data() }
  const isMetadataNew = metadata !== undefined && JSON.stringify(metadata) !== JSON.stringify(before.ticket.metadata)
  return isMetadataNew ? { type: 'ticket.updated', data: data() } : undefined
}

/** Returns how a validation changes the number of people inside in addition to the checked-in guest. */
function getExtraChange({ ticket, extraInside }: TicketContext, { outcome }: Decision): WriteKind['extra'] {
  const isIn = ticket.checkInStatus === 'CHECKEDIN'
  if (outcome === 'admitted') return isIn ? 1 : 0
  return (outcome === 'checked_out' || outcome === 'not_checked_in') && !isIn && extraInside > 0 ? -1 : 0
}

/** Returns whether a guest who is leaving may have been let in without a ticket for the door's event. */
const mayBeUnlistedGuest = (decision: Decision | undefined): boolean =>
  !decision || decision.outcome === 'other_event' || decision.outcome === 'not_checked_in'

/** Returns how a change identifies its ticket, and the values for the lookup's placeholders. */
function toTicketLookup(change: Change): [TicketLookup, Record<string, unknown>] {
  if (!('code' in change)) return ['ticketId', { ticketId: change.ticketId }]
  const { code, typed } = change
  return typed ? ['typed', { code, ...typed }] : ['code', { code }]
}

/**
 * Attempts a change once, in the caller's transaction. If `connection` has `commit`, sends COMMIT together with the write, because waiting
 * for the write would keep the ticket's row locked for another round trip. If the ticket's details are requested, they are read before
 * COMMIT, and the caller commits.
 *
 * @throws {ConcurrentChangeError} if a concurrent request has just used the same idempotency key, or given the code to another ticket
 * @throws {ApiError} `body_invalid` if the ticket has the maximum number of check-ins and check-outs
 */
export async function changeOnce(
  connection: Connection,
  kind: ChangeKind,
  change: Change & Partial<Pick<ValidationInput, 'direction' | 'checkIn'>>,
  decide: Decide,
  serialize: Serialize,
): Promise<ChangeResult> {
  const { sellerId, idempotencyKey, onlyPageId, shouldReadDetails } = change
  const [lookup, address] = toTicketLookup(change)
  const values = { seller: sellerId, key: idempotencyKey, ...address }
  // Both statements are sent at once and run in order: the context is read after the row is locked.
  const [[ticket], [row]] = await Promise.all([
    connection.rows<LockedTicket>(LOCK_TICKET[lookup], values),
    connection.rows<ContextRow>(CONTEXT[lookup][idempotencyKey === undefined ? 'unkeyed' : 'keyed'], values),
  ])
  if (!row) throw new Error('The seller does not exist.')
  // While this transaction waited for the lock, another ticket may have received the code.
  if (row.ticketId !== (ticket?.id ?? null)) throw new ConcurrentChangeError()
  const isValidation = kind === 'validation'
  const { now, stored } = row
  const readDetails = async () => (shouldReadDetails && ticket ? readTicketDetails(connection, sellerId, ticket.id, onlyPageId) : undefined)

  if (stored && stored.fingerprint === hashChange(change).toString('hex')) {
    return { response: { status: stored.status, body: stored.response }, details: await readDetails() }
  }
  if (stored) {
    const result = { outcome: 'idempotency_mismatch' } as const
    if (isValidation)
      await write(connection, change, {
        now,
        attempt: result.outcome,
        ticket: ticket && parseStoredTicket(ticket.record, ticket.revokedAt),
      })
    return { result, response: serialize(result) }
  }
  const entries = JSON.parse(row.entries ?? '[]') as Entry[]
  const context = ticket && toContext(ticket, row, entries)
  const decision = context && decide(context)
  if (decision?.entry && entries.length >= MAX_ENTRIES) {
    const maximum = MAX_ENTRIES.toLocaleString('en-US')
    throw new ApiError('body_invalid', `This ticket has ${maximum} check-ins and check-outs, which is the maximum. Use another ticket.`)
  }
  const extra = context && decision && isValidation ? getExtraChange(context, decision) : 0
  const isLetOut = mayBeUnlistedGuest(decision) && (await checkOutUnlistedGuest(connection, change, ticket, extra < 0, now))
  if (!ticket || !context || !decision || isLetOut) {
    const result = { outcome: isLetOut ? 'let_out' : 'unknown' } as const
    const response = serialize(result)
    const attempt = isLetOut ? 'checked_out' : 'unknown'
    const writing = write(connection, change, { now, attempt: isValidation ? attempt : undefined, response })
    connection.commit?.()
    await writing
    return { result, response }
  }
  const result = toResult(context, decision)
  const response = serialize(result)
  const writing = write(connection, change, {
    now,
    attempt: isValidation ? decision.outcome : undefined,
    ticket: context.ticket,
    extra,
    decided: { decision, sequence: ticket.checkInCount + 1, hasCurrentEntry: entries.some(({ isCurrent }) => isCurrent) },
    event: toEvent(context, decision, result.ticket),
    response,
  })
  // The details have to be read completely before COMMIT.
  if (!shouldReadDetails) connection.commit?.()
  // Both statements are sent at once and run in order, so the details include the write.
  const [details] = await Promise.all([readDetails(), writing])
  return { result, response, details }
}

/**
 * Decides on a change to a ticket and makes it. The same transaction records the attempt if it is a validation, and stores the response if
 * there is an idempotency key. No query runs after COMMIT: everything that the caller displays is read before it.
 *
 * @param serialize converts the result to the response that a repeated idempotency key returns
 * @throws {TooMuchMetadataError} if the ticket would have too much metadata; in that case, nothing is written
 * @throws {ApiError} `body_invalid` if the ticket has the maximum number of check-ins and check-outs; nothing is written either
 */
async function changeTicket(kind: ChangeKind, change: Change, decide: Decide, serialize: Serialize): Promise<ChangeResult> {
  const changed = await retryConcurrentChange(() =>
    withTicketLock(`${change.sellerId} ${'code' in change ? change.code : change.ticketId}`, () =>
      database('doors').transaction((connection) => changeOnce(connection, kind, change, decide, serialize), change.sellerId),
    ),
  )
  const { result } = changed
  if (!result) metrics()?.admissions.inc({ outcome: 'replayed' })
  else if (kind === 'validation') metrics()?.admissions.inc({ outcome: result.outcome })
  return changed
}

export type Validation = Change & ValidationInput

/**
 * Validates a ticket, checks the guest in or out if the rules allow it, and records the attempt. See `changeTicket` for the result and the
 * errors.
 */
export const validateTicket = (validation: Validation, serialize: Serialize): Promise<ChangeResult> =>
  changeTicket('validation', validation, (context) => decideValidation(context, validation), serialize)

/**
 * Adds, changes and deletes notes without checking the guest in. Notes are stored in the ticket's metadata. See `changeTicket` for the
 * result and the errors.
 */
export const noteOnTicket = (note: Change & NoteInput, serialize: Serialize): Promise<ChangeResult> =>
  changeTicket('note', note, (context) => decideNote(context, note), serialize)

export type Undo = Change & UndoInput

/**
 * Undoes a check-in, or a check-out by scan, by appending an entry with the reason. Repeating the request has no further effect. See
 * `changeTicket` for the result and the errors.
 */
export const undoCheckIn = (undo: Undo, serialize: Serialize): Promise<ChangeResult> =>
  changeTicket('undo', undo, (context) => decideUndo(context, undo), serialize)
