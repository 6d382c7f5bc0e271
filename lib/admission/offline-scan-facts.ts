/** Converts a ticket's history entries, and the scans that are not in its history, to facts for replay. */
import type { EntryPolicy } from '../catalog/pages'
import type { CheckIn } from '../catalog/ticket'
import { dayIn } from '../core/time'
import { DISPLACED } from './offline-scan-statements'
import { type Fact, type FactKind, type Replay, replayFacts, type TicketRules } from './replay-facts'
import type { ScanSource } from './scan-source'

/** A locked ticket. */
export type TicketRow = {
  id: string
  code: string
  pageId: string | null
  typeId: string | null
  status: string
  /** ISO 8601; null if the ticket is not canceled, or the time is unknown. */
  canceledAt: string | null
  checkInStatus: CheckIn['status']
  /** The number of people inside with this ticket in addition to the checked-in guest. */
  extraInside: number
}

/** The data needed to record a scan, read while its ticket's row is locked. */
export type ContextRow = {
  /** ISO 8601. */
  now: string
  timeZone: string
  /** Null if the ticket has no event, or its event does not exist. */
  entryPolicy: EntryPolicy | null
  /** Whether the scan has already been recorded. */
  isKnown: boolean
  /** Whether the door's event exists. */
  doorPageExists: boolean
  /** Whether the ticket has too many entries and scans to replay. In that case, they are not read. */
  isFull: boolean
  /** The stored response to a request with the same ID, if the server has handled one. */
  response: string | null
  /** The time of that response, which is also the time of its check-in. */
  respondedAt: string | null
  /** Whether the user or device that checked the ticket in has since been shown that it is checked in. */
  wasSeen: boolean
  /** The entries of the history (`EntryRow`), and the scans that are not in the history (`ScanRow`), as JSON. */
  entries: string | null
  scans: string | null
}

/** An entry of the history, or a scan that is not in the history. */
export type DoorFact = Fact & {
  status: CheckIn['status']
  method: CheckIn['method']
  source: ScanSource | null
  /** `YYYY-MM-DD`, in the seller's time zone. */
  day: string
  /** ISO 8601; null if only the day is known. */
  at: string | null
  /** The reason for an undo by staff. */
  reason: string | null
  /** The ID of the scan that created the entry; null if the server created the entry itself. */
  scanId: string | null
}

type EntryRow = Omit<DoorFact, 'key' | 'kind' | 'time' | 'isOffline' | 'target' | 'refusedAt'> & {
  /** The time of the scan that created the entry; null if the server created the entry itself. */
  scannedAt: string | null
  /** The arrival time of that scan. */
  arrivedAt: string | null
}
type ScanRow = {
  id: string
  direction: 'in' | 'out'
  decision: string
  /** The key of the check-in that was undone, if this is an undo. */
  undoes?: string | null
  /** The reason for an undo by staff. */
  reason?: string | null
  method: CheckIn['method']
  source: ScanSource | null
  at: string
  actorId: string
  isOverride: boolean
  /** Whether this is an entry that the server created and that a scan has displaced from the history. */
  isOnline: boolean
}

const parseTime = (at: string | null) => (at === null ? Number.NEGATIVE_INFINITY : Date.parse(at))

/** Returns the kind of an entry. Only an undo by staff has a reason, and an undo that checks the guest in is the undo of an exit. */
function toFactKind({ status, method, reason }: Pick<EntryRow, 'status' | 'method' | 'reason'>): FactKind {
  if (status === 'CHECKEDIN') return reason === null ? 'in' : 'reinstate'
  return method === 'QRSCAN' ? 'out' : 'undo'
}

/**
 * Returns the key of the check-in that an undo reverts. Staff undo the latest entry that they see, so this is the latest earlier check-in
 * that was known at the time. The history contains no undo without its target.
 */
function findTarget(earlier: readonly { key: string; arrivedAt: string | null }[], { at, scanId }: Pick<EntryRow, 'at' | 'scanId'>) {
  const isStaff = scanId === null && at !== null
  return earlier.findLast(({ arrivedAt }) => !isStaff || arrivedAt === null || Date.parse(arrivedAt) <= Date.parse(at))?.key
}

/** Returns the entries of a ticket's history as facts. */
function toEntryFacts(ticketId: string, rows: EntryRow[]): DoorFact[] {
  const countByBase = new Map<string, number>()
  const earlier: { key: string; arrivedAt: string | null }[] = []
  return rows.map(({ scannedAt, arrivedAt, ...row }, position) => {
    // Entries without a time are sorted by their position.
    const base = `${DISPLACED}${ticketId}:${row.at ?? String(position).padStart(6, '0')}:${row.actorId ?? ''}`
    const duplicates = countByBase.get(base) ?? 0
    if (row.scanId === null) countByBase.set(base, duplicates + 1)
    // The number makes keys unique, because imported entries can have the same time and actor.
    const key = row.scanId ?? (duplicates === 0 ? base : `${base}:${duplicates}`)
    const kind = toFactKind(row)
    if (kind === 'in') earlier.push({ key, arrivedAt })
    const undo = kind === 'undo' && { target: findTarget(earlier, row), ...(scannedAt !== null && { refusedAt: Date.parse(scannedAt) }) }
    return { ...row, key, kind, time: parseTime(row.at), isOffline: row.scanId !== null, ...undo }
  })
}

/** Converts a scan that is not in the history to a fact. */
export const toScanFact = (
  { id, direction, decision, method, source, at, actorId, isOverride, isOnline }: ScanRow,
  timeZone: string,
): DoorFact => ({
  key: id,
  // An exit counts regardless of what data the device had about the ticket.
  kind: direction === 'out' ? 'out' : decision === 'admitted' ? 'in' : 'refused',
  time: Date.parse(at),
  isOffline: !isOnline,
  status: direction === 'out' ? 'UNCHECKEDIN' : 'CHECKEDIN',
  method,
  source,
  day: dayIn(timeZone, new Date(at)),
  at,
  actorId,
  isOverride,
  reason: null,
  scanId: isOnline ? null : id,
})

/** Converts an undo to a fact. The undo is not in the history, because its target is not. */
function toUndoFact(scan: DoorFact, { undoes, reason = null }: ScanRow, facts: readonly DoorFact[]): DoorFact {
  const target = facts.find(({ key }) => key === undoes)
  if (scan.isOffline && target) return makeUndo(scan, target)
  const undo = { ...scan, kind: 'undo', status: 'UNCHECKEDIN', method: 'MANUAL', source: null, reason } as const
  return { ...undo, target: undoes ?? undefined, ...(scan.isOffline && { refusedAt: scan.time }) }
}

export type TicketFacts = {
  /** The entries of the history. */
  before: DoorFact[]
  /** The scans that are not in the history. */
  others: DoorFact[]
  rules: TicketRules
}

/** Returns the facts and rules for replaying a ticket's history. */
export function toFacts(
  ticket: Pick<TicketRow, 'id' | 'status' | 'canceledAt' | 'checkInStatus'>,
  { entries, scans, timeZone, entryPolicy }: Pick<ContextRow, 'entries' | 'scans' | 'timeZone' | 'entryPolicy'>,
): TicketFacts {
  const before = toEntryFacts(ticket.id, JSON.parse(entries ?? '[]') as EntryRow[])
  const entered = new Set(before.map(({ key }) => key))
  // Leaves out displaced check-ins that are in the history again.
  const rows = (JSON.parse(scans ?? '[]') as ScanRow[]).filter(({ id }) => !entered.has(id))
  const facts = rows.map((row) => ({ row, fact: toScanFact(row, timeZone) }))
  const all = [...before, ...facts.map(({ fact }) => fact)]
  const others = facts.map(({ row, fact }) => (row.undoes ? toUndoFact(fact, row, all) : fact))
  const [first] = before
  // With the policy `multiple`, the first entry may also be the exit of a guest whose check-in is a conflict.
  const isExtraExit = entryPolicy === 'multiple' && others.some(({ kind, time }) => kind === 'in' && first && time < first.time)
  const rules = {
    // If the ticket was imported as checked in without a history, its first entry, if any, is an exit.
    isInAtStart: first ? first.status === 'UNCHECKEDIN' && !isExtraExit : ticket.checkInStatus === 'CHECKEDIN',
    entryPolicy: entryPolicy ?? 'single',
    isCanceled: ticket.status === 'CANCELED',
    canceledAt: ticket.canceledAt === null ? undefined : Date.parse(ticket.canceledAt),
  }
  return { before, others, rules }
}

/**
 * Returns the number of people inside in addition to the checked-in guest, so that the total is the replayed one even if the replayed
 * status differs from the stored status.
 *
 * @param checkInStatus the stored status
 */
export function countExtraInside(
  { entries, extraInside }: Replay<DoorFact>,
  { isInAtStart }: TicketRules,
  checkInStatus: CheckIn['status'],
) {
  const last = entries.at(-1)
  const isIn = last ? last.status === 'CHECKEDIN' : isInAtStart
  return Math.max(0, Number(isIn) + extraInside - Number(checkInStatus === 'CHECKEDIN'))
}

/** An entry of an imported history. `at` is null if only the day is known. */
export type ImportedEntry = Pick<DoorFact, 'status' | 'method' | 'at' | 'actorId'>

/**
 * Replays the history of a ticket that is being imported.
 *
 * @param history the entries, oldest first
 * @param entryPolicy null if the ticket has no event, or its event does not exist
 * @returns whether the guest has been checked out by scan, and the number of people inside in addition to the checked-in guest
 */
export function replayImported(
  ticket: Pick<TicketRow, 'id' | 'checkInStatus'>,
  history: readonly ImportedEntry[],
  entryPolicy: EntryPolicy | null,
): { hasLeft: boolean; extraInside: number } {
  // An entry without a time would be sorted before all others. The entries are replayed in their order instead.
  const hasTimes = history.every(({ at }) => at !== null)
  const unknown = { source: null, day: '', reason: null, scanId: null, isOverride: false, scannedAt: null, arrivedAt: null }
  const entries = history.map((entry): EntryRow => ({ ...unknown, ...entry, at: hasTimes ? entry.at : null }))
  const context = { entries: JSON.stringify(entries), scans: null, timeZone: 'UTC', entryPolicy }
  const { before, rules } = toFacts({ ...ticket, status: 'PAID', canceledAt: null }, context)
  return {
    hasLeft: before.some(({ kind }) => kind === 'out'),
    extraInside: countExtraInside(replayFacts(before, rules), rules, ticket.checkInStatus),
  }
}

/**
 * Returns a fact that undoes a check-in by the server. The fact's time is directly after the check-in, because the device never let the
 * guest in: the server may make the check-in after the device has stopped waiting and refused the ticket.
 *
 * @param refusal the device's scan with the same ID
 */
export function makeUndo(refusal: DoorFact, { key, time: checkedInAt }: DoorFact): DoorFact {
  const time = checkedInAt + 1
  const undo = { ...refusal, kind: 'undo', status: 'UNCHECKEDIN', method: 'MANUAL', source: null } as const
  return { ...undo, target: key, refusedAt: refusal.time, time, at: new Date(time).toISOString() }
}
