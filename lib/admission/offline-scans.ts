/**
 * Records scans that devices decided without the server. The scans are treated as facts: none is dropped or rejected, and the result does
 * not depend on their order of arrival.
 */
import { createHash } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { type Connection, database } from '@/db/client'
import { checkIns, events, idempotencyKeys, offlineScans, tickets, validationAttempts } from '@/db/schema'
import { withTicketLock } from '@/db/semaphore'
import { DEVICE_RIGHTS, type DeviceRight, findEnrolledDevice, type ReportingDevice } from '../accounts/check-in-devices'
import { log } from '../core/log'
import { type ContextRow, type DoorFact, makeUndo, type TicketRow, toFacts, toScanFact } from './offline-scan-facts'
import { CONTEXT, DISPLACED, LOCK } from './offline-scan-statements'
import { indexOfCurrentCheckIn, type Replay, replayFacts } from './replay-facts'
import { parseScan, type Scan, type SealedScan } from './scan-content'
import { createScanOpener } from './sealed-scan'
import { verifyDeviceId } from './signed-device-id'
import { assignExits, findDigest, linkExits, matchExits } from './unlisted-guests'

/** Returns the time of a scan on the server's clock, in milliseconds since 1970. */
const toServerTime = ({ claimedAt, clockOffset }: Scan) => Date.parse(claimedAt) - clockOffset

/** Returns the corrected time of a scan, in ISO 8601: no earlier than the device's setup, and no later than the scan's arrival. */
const correctTime = (scan: Scan, device: ReportingDevice, now: string): string =>
  new Date(Math.min(Math.max(toServerTime(scan), Date.parse(device.enrolledAt)), Date.parse(now))).toISOString()

/** Returns whether a device has a right. A signed-in user's browser (`session`) has every right. */
const hasRight = ({ rights }: ReportingDevice, right: DeviceRight) => rights.includes(right) || rights.includes('session')

/**
 * Returns a browser's earlier device, restricted to the rights and events that the browser's current device also has: anyone who has the
 * current device could forge scans of the earlier one. Returns undefined if the two have no event in common.
 */
function restrictDevice(current: ReportingDevice, earlier: ReportingDevice): ReportingDevice | undefined {
  const rights = DEVICE_RIGHTS.filter((right) => hasRight(earlier, right) && hasRight(current, right))
  const isAllowed = (pageId: string) => current.pageIds.length === 0 || current.pageIds.includes(pageId)
  const pageIds = earlier.pageIds.length === 0 ? current.pageIds : earlier.pageIds.filter(isAllowed)
  return pageIds.length === 0 && earlier.pageIds.length > 0 ? undefined : { ...earlier, rights, pageIds }
}

/**
 * Returns a function that finds the device that made a scan. A scan that contains an earlier device's signed ID, and predates the browser's
 * setup as the reporting device, was made by the earlier device, even if that device can no longer report scans.
 */
async function createDeviceFinder(reporting: ReportingDevice, sealed: readonly SealedScan[]) {
  const earlier = new Map<string, ReportingDevice>()
  for (const signed of new Set(sealed.map(({ signedDeviceId }) => signedDeviceId))) {
    const id = signed === undefined ? undefined : await verifyDeviceId(reporting.sellerId, signed)
    const found = id === undefined || id === reporting.id ? undefined : await findEnrolledDevice(reporting.sellerId, id)
    const device = found && restrictDevice(reporting, found)
    if (signed !== undefined && device) earlier.set(signed, device)
  }
  return ({ signedDeviceId = '' }: SealedScan, scan: Scan): ReportingDevice =>
    (toServerTime(scan) < Date.parse(reporting.enrolledAt) ? earlier.get(signedDeviceId) : undefined) ?? reporting
}

/**
 * Returns whether the server checked the guest in or out, according to its stored response; undefined if there is no response for this ID.
 */
function wasAcceptedByServer(response: string | null): boolean | undefined {
  if (response === null) return undefined
  return ['admitted', 'checked_out'].includes((JSON.parse(response) as { kind?: string }).kind ?? '')
}

type StoredScan = {
  scan: Scan
  ticket: TicketRow | undefined
  /** The door's event; null if it is not known. */
  pageId: string | null
  /** The time on the server's clock, in ISO 8601. */
  correctedAt: string
  /** Whether the server has already handled a request with the same ID. If so, the scan adds no check-in. */
  isDecided: boolean
  conflict: typeof offlineScans.$inferInsert.conflict
  /** The key of the server's check-in that the scan reverts. */
  undoes?: string | undefined
  codeDigest?: Buffer
}

const getMethod = ({ ticketId }: Scan) => (ticketId === undefined ? ('QRSCAN' as const) : ('MANUAL' as const))

/** Stores a scan and claims its idempotency key. Records an attempt, unless the scan is unreadable or the server has already handled it. */
async function insertScan(
  { orm, rows }: Connection,
  device: ReportingDevice,
  { scan, ticket, pageId, correctedAt, isDecided, conflict, undoes, codeDigest }: StoredScan,
): Promise<void> {
  const { id, source, direction, decision, isOverride, claimedAt } = scan
  const { sellerId } = device
  const ticketId = ticket?.id ?? null
  const row = {
    sellerId,
    id,
    ticketId,
    actorId: device.id,
    method: getMethod(scan),
    source,
    direction,
    pageId,
    decision,
    isOverride,
    isDecided,
    claimedAt,
    correctedAt,
    conflict,
    undoes,
    codeDigest,
  } as const
  const insert = orm.insert(offlineScans).values(row)
  // Without a ticket there is no row to lock, so another server may have just recorded the scan.
  if (ticket) await insert
  else if ((await insert.onConflictDoNothing().returning({ id: offlineScans.id })).length === 0) return
  // Claims the idempotency key, so that a request with the same ID that is still in transit is rejected instead of being counted a second
  // time.
  const fingerprint = createHash('sha256').update(`late ${id}`).digest()
  await rows(sql`
    insert into ${idempotencyKeys} (seller_id, key, fingerprint, status, response, created_at) values (${sellerId}, ${id}, ${fingerprint}, 200, '{}', now())
    on conflict do nothing`)
  // If the server has handled the scan, the attempt has already been recorded.
  if (isDecided || decision === 'unreadable') return
  await orm.insert(validationAttempts).values({
    ...{ sellerId, at: correctedAt, ticketId, outcome: decision, actorId: device.id, device: device.name, isLate: true },
    pageId: pageId ?? ticket?.pageId ?? null,
    ticketTypeId: ticket?.typeId ? [...ticket.typeId].slice(0, 255).join('') : null,
  })
}

/** Stores the conflicts that the replay found among a ticket's scans, and removes earlier ones that it did not find. */
const writeConflicts = (connection: Connection, sellerId: string, ticketId: string, conflicts: Replay<DoorFact>['conflicts']) =>
  connection.rows(
    sql`update ${offlineScans} as scan set conflict = found.value
      from ${offlineScans} as stored
        left join json_each_text(${JSON.stringify(Object.fromEntries(conflicts))}::text::json) as found on found.key = stored.id
      where stored.seller_id = ${sellerId} and stored.ticket_id = ${ticketId} and scan.seller_id = stored.seller_id and scan.id = stored.id
        and (stored.conflict is null or stored.conflict in ('double_entry', 'canceled', 'refused_in_error'))
        and stored.conflict is distinct from found.value`,
  )

/** Replaces a ticket's history with the replayed one, and writes an event. @param codeDigest the digest of the code, stored with exits */
async function writeHistory(
  connection: Connection,
  sellerId: string,
  ticket: TicketRow,
  before: DoorFact[],
  { entries: after, extraInside }: Replay<DoorFact>,
  codeDigest: Buffer | undefined,
) {
  const known = new Set(before.map(({ key }) => key))
  const kept = new Set(after.map(({ key }) => key))
  const displaced = before.filter(({ key, kind, scanId }) => (scanId === null || kind === 'undo') && !kept.has(key))
  // Otherwise, the triggers would write an event for each rewritten row.
  await connection.rows(sql`select set_config('desk.events', 'off', true)`)
  await connection.rows(sql`delete from ${checkIns} where seller_id = ${sellerId} and ticket_id = ${ticket.id}`)
  const currentIndex = indexOfCurrentCheckIn(after.map(({ status }) => status))
  if (after.length > 0) {
    await connection.orm.insert(checkIns).values(
      after.map(({ status, method, source, day, at, actorId, reason, scanId }, index) => ({
        ...{ sellerId, ticketId: ticket.id, sequence: index + 1, status, method, source, day, at, actorId, reason, scanId },
        isCurrent: index === currentIndex,
      })),
    )
  }
  const scans = displaced.flatMap<typeof offlineScans.$inferInsert>(({ key, kind, method, source, at, actorId, reason, target }) => {
    if (at === null) return []
    const scan = { sellerId, id: key, ticketId: ticket.id, actorId: actorId ?? '', method, source, claimedAt: at, correctedAt: at }
    if (kind === 'undo') return [{ ...scan, decision: 'undone', note: reason, undoes: target }]
    return [
      kind === 'out'
        ? // The door's event is not stored. It is the ticket's event, because any other door would have refused the ticket.
          ({ ...scan, direction: 'out', decision: 'checked_out', pageId: ticket.pageId, codeDigest } as const)
        : ({ ...scan, decision: 'admitted' } as const),
    ]
  })
  if (scans.length > 0) {
    // If an undo results from an offline scan, that scan is already stored.
    const onConflict = { target: [offlineScans.sellerId, offlineScans.id], set: { undoes: sql`excluded.undoes` } }
    await connection.orm.insert(offlineScans).values(scans).onConflictDoUpdate(onConflict)
  }
  // A displaced entry that is in the history again is no longer a separate scan.
  await connection.rows(
    sql`delete from ${offlineScans} where seller_id = ${sellerId} and ticket_id = ${ticket.id} and starts_with(id, ${DISPLACED})
      and id = any(${sql.param([...kept])}::text[])`,
  )
  const last = after.at(-1)
  const status = last?.status ?? 'UNCHECKEDIN'
  await connection.rows(
    sql`update ${tickets} set check_in_status = ${status}, check_in_count = ${after.length}, door_at = clock_timestamp(),
        has_left = ${after.some(({ kind }) => kind === 'out')}, extra_inside = ${extraInside}
      where seller_id = ${sellerId} and id = ${ticket.id}`,
  )
  const isNewEntry = (after.length > before.length || status !== ticket.checkInStatus) && !known.has(last?.key ?? '')
  const type = status === 'UNCHECKEDIN' ? 'ticket.checked_out' : 'ticket.checked_in'
  await writeEvent(connection, sellerId, ticket.id, isNewEntry ? type : 'ticket.updated')
}

/** Writes an event with the current ticket. */
const writeEvent = (connection: Connection, sellerId: string, ticketId: string, type: string) =>
  connection.rows(
    sql`insert into ${events} (seller_id, type, data) select ${sellerId}, ${type}, desk_ticket(ticket) from ${tickets} as ticket
      where ticket.seller_id = ${sellerId} and ticket.id = ${ticketId}`,
  )

/**
 * Returns the door's event: the event in the scan if it exists and is one of the device's events; otherwise, the device's only event, or
 * null if the device has none or several.
 */
function chooseEvent({ pageId }: Scan, { pageIds }: ReportingDevice, doorPageExists: boolean): string | null {
  if (pageId !== undefined && doorPageExists && (pageIds.length === 0 || pageIds.includes(pageId))) return pageId
  return pageIds.length === 1 ? (pageIds[0] ?? null) : null
}

/**
 * Returns whether a ticket would be refused because of its event, by the same rule as online.
 *
 * @param pageId the door's event; null if it is not known
 */
function isForOtherEvent(ticket: TicketRow, pageId: string | null, { pageIds }: ReportingDevice): boolean {
  if (pageId !== null) return ticket.pageId !== pageId
  return pageIds.length > 0 && !pageIds.includes(ticket.pageId ?? '')
}

/** Records a scan whose code belongs to no ticket for the door's event. @param codeDigest the digest of the code */
async function recordUnlistedScan(
  connection: Connection,
  device: ReportingDevice,
  stored: StoredScan & { conflict: 'unknown_code' | 'other_event' },
  codeDigest: Buffer,
): Promise<void> {
  const { direction, decision } = stored.scan
  const isExit = direction === 'out'
  if (isExit && !hasRight(device, 'checkout')) return insertScan(connection, device, { ...stored, conflict: 'not_permitted' })
  if (!isExit && decision !== 'admitted') return insertScan(connection, device, { ...stored, conflict: null })
  await insertScan(connection, device, { ...stored, conflict: isExit ? null : stored.conflict, codeDigest })
  await matchExits(connection, device.sellerId, codeDigest)
}

/** Records a scan in the caller's transaction. Returns true if the scan is new and belongs to no ticket. */
async function recordScan(connection: Connection, device: ReportingDevice, scan: Scan): Promise<boolean> {
  const { sellerId } = device
  const identity = scan.ticketId ?? scan.code
  const address = { seller: sellerId, code: scan.code, ticketId: scan.ticketId, hasShortIds: hasRight(device, 'search') }
  const lock = LOCK[scan.ticketId === undefined ? 'code' : 'ticketId']
  const [ticket] = identity === undefined ? [] : await connection.rows<TicketRow>(lock, address)
  // The ticket was not on the device's list, so the guest may also have left before the ticket was imported.
  if (ticket && scan.isOverride) await linkExits(connection, sellerId, ticket)
  const values = {
    seller: sellerId,
    id: scan.id,
    ticketId: ticket?.id ?? null,
    pageId: ticket?.pageId ?? null,
    doorPageId: scan.pageId ?? null,
  }
  const [context] = await connection.rows<ContextRow>(CONTEXT, values)
  if (!context || context.isKnown) return false
  await applyScan(connection, device, scan, ticket, context)
  return ticket === undefined
}

/** Returns the check-in that the server made at the given time, unless it has been undone. */
function findCheckIn(facts: readonly DoorFact[], at: string | null): DoorFact | undefined {
  const checkIn = facts.find((fact) => fact.kind === 'in' && !fact.isOffline && fact.at === at)
  return facts.some(({ target }) => target !== undefined && target === checkIn?.key) ? undefined : checkIn
}

/** Records a new scan, and derives the ticket's history again. */
async function applyScan(
  connection: Connection,
  device: ReportingDevice,
  scan: Scan,
  ticket: TicketRow | undefined,
  context: ContextRow,
): Promise<void> {
  const { sellerId } = device
  const identity = scan.ticketId ?? scan.code
  const { now, timeZone } = context
  const correctedAt = correctTime(scan, device, now)
  const wasAdmittedOffline = scan.decision === 'admitted'
  const pageId = chooseEvent(scan, device, context.doorPageExists)
  const stored = { scan, ticket, pageId, correctedAt, isDecided: false, conflict: null }
  if (identity === undefined) return insertScan(connection, device, { ...stored, conflict: 'unreadable' })
  if (scan.ticketId !== undefined && !hasRight(device, 'search'))
    return insertScan(connection, device, { ...stored, conflict: 'not_permitted' })
  const wasAccepted = wasAcceptedByServer(context.response)
  // The server has already handled this scan: the device showed the same result, or the scan is an exit, which counts in any case.
  if (wasAccepted === wasAdmittedOffline || (wasAccepted !== undefined && scan.direction === 'out'))
    return insertScan(connection, device, { ...stored, isDecided: true })
  // The device refused the ticket, but the person who scanned it again saw that it had just been checked in, and dealt with the guest.
  if (wasAccepted && context.wasSeen) return insertScan(connection, device, { ...stored, isDecided: true })
  if (!ticket) {
    // A guest who was found by name may leave with the code of a ticket that has been deleted since.
    const digest = await findDigest(connection, sellerId, scan)
    return recordUnlistedScan(connection, device, { ...stored, conflict: 'unknown_code' }, digest)
  }
  // A guest who was found by name, or by short ID, may leave with the ticket's code.
  const guest = { code: ticket.code, ticketId: ticket.id }
  // If `wasAccepted` is true, the ticket was for the door's event when the server admitted the guest.
  if (!wasAccepted && isForOtherEvent(ticket, pageId, device))
    return recordUnlistedScan(connection, device, { ...stored, conflict: 'other_event' }, await findDigest(connection, sellerId, guest))
  if (scan.direction === 'out' && !hasRight(device, 'checkout'))
    return insertScan(connection, device, { ...stored, conflict: 'not_permitted' })
  // The refusal was correct at another event's door, whether or not the guest would be admitted to the ticket's own event.
  if (!wasAccepted && scan.decision === 'other_event') return insertScan(connection, device, stored)
  // There are too many facts to replay. The scan is recorded and, if the device let the guest in, listed as a conflict for review.
  if (context.isFull) {
    await insertScan(connection, device, { ...stored, conflict: wasAdmittedOffline ? 'double_entry' : null })
    if (wasAdmittedOffline) await writeEvent(connection, sellerId, ticket.id, 'ticket.conflict')
    return
  }
  const { before, others, rules } = toFacts(ticket, context)
  const { id, direction, decision, isOverride, source = null } = scan
  const row = { id, direction, decision, method: getMethod(scan), source, at: correctedAt, actorId: device.id, isOverride, isOnline: false }
  // If `wasAccepted` is true, the server admitted a guest whom the device turned away.
  const target = wasAccepted ? findCheckIn([...before, ...others], context.respondedAt) : undefined
  // The check-in no longer exists, or staff have already undone it.
  if (wasAccepted && !target) return insertScan(connection, device, { ...stored, isDecided: true })
  const scanFact = toScanFact(row, timeZone)
  const fact = target ? makeUndo(scanFact, target) : scanFact
  const replay = replayFacts([...before, ...others, fact], rules)
  const { entries, conflicts, extraInside } = replay
  const conflict = conflicts.get(scan.id) ?? null
  // A guest who leaves may have been let in while no ticket had the code, or at the door of another event.
  const hasExits = [...before, ...others, fact].some(({ kind }) => kind === 'out')
  const codeDigest = hasExits ? await findDigest(connection, sellerId, guest) : undefined
  await insertScan(connection, device, {
    ...stored,
    isDecided: wasAccepted === true,
    conflict,
    undoes: fact.target,
    ...(direction === 'out' && codeDigest && { codeDigest }),
  })
  const isSame = entries.length === before.length && entries.every(({ key }, index) => key === before[index]?.key)
  if (!isSame) await writeHistory(connection, sellerId, ticket, before, replay, codeDigest)
  else if (extraInside !== ticket.extraInside) {
    const isTicket = sql`seller_id = ${sellerId} and id = ${ticket.id}`
    await connection.rows(sql`update ${tickets} set extra_inside = ${extraInside} where ${isTicket}`)
  }
  if (codeDigest) await assignExits(connection, sellerId, ticket.id, replay.usedExits, codeDigest)
  // A scan can change the conflicts of other scans without changing the history.
  await writeConflicts(connection, sellerId, ticket.id, conflicts)
  const known = new Set([...others, ...before.filter(({ kind }) => kind === 'undo')].map(({ key }) => key))
  if ([...conflicts.keys()].some((key) => !known.has(key))) await writeEvent(connection, sellerId, ticket.id, 'ticket.conflict')
}

/**
 * Returns a function that records one of the given scans, once, no matter how often it is sent. The function returns true if the scan is
 * new and belongs to no ticket.
 *
 * @param device the device that reports the scans
 */
export async function createOfflineScanRecorder(
  device: ReportingDevice,
  sealed: readonly SealedScan[],
): Promise<(scan: SealedScan) => Promise<boolean>> {
  const open = await createScanOpener(device.sellerId)
  const findScanDevice = await createDeviceFinder(device, sealed)
  return async (sealedScan) => {
    const { scan, problem } = parseScan(sealedScan, open)
    // Scans of the same ticket that reach the server in time use the same mutex.
    const isNewUnlisted = await withTicketLock(`${device.sellerId} ${scan.code ?? scan.ticketId ?? scan.id}`, () =>
      database('doors').transaction((connection) => recordScan(connection, findScanDevice(sealedScan, scan), scan), device.sellerId),
    )
    // A scan that is sent again is not logged again, so that a device cannot flood the log.
    if (problem && isNewUnlisted) log().warn({ device: device.id, ...problem }, 'an offline scan is invalid')
    return isNewUnlisted
  }
}
