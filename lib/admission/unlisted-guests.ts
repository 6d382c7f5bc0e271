/**
 * Guests who were let in offline although no ticket for the door's events has their code. Their entries belong to no ticket, but a ticket
 * may have the code when they leave, so entries and exits are matched by a digest of the code. The code itself is not stored.
 */
import { type SQL, sql } from 'drizzle-orm'
import type { Connection } from '@/db/client'
import { offlineScans, ticketChanges, tickets } from '@/db/schema'
import { bookingIdOf } from '../catalog/booking-id'
import { textTable } from '../core/sql'
import { ConcurrentChangeError } from './idempotency-keys'
import type { ScanSource } from './scan-source'
import { codeDigest, deriveIndexKey } from './seal-ticket'

const hashCode = (indexKey: Buffer, code: string) => codeDigest(indexKey, code.replace(/\s/g, '').toLowerCase())

/** Returns a digest for all codes of a booking. It differs from those of codes, which are normalized to contain no line break. */
const hashBooking = (indexKey: Buffer, bookingId: string) => codeDigest(indexKey, `booking\n${bookingId}`)

/**
 * Records the generated tickets that imported ones have replaced, because a device may report later that it let in their guests. From then
 * on, all codes of the booking have the same digest, because it is not known which imported ticket belongs to which guest. No scan has been
 * recorded with the replaced codes so far, because tickets with scans are not replaced.
 */
export async function keepReplacedTickets(
  connection: Connection,
  sellerId: string,
  replaced: readonly { id: string; code: string; bookingId: string }[],
): Promise<void> {
  const indexKey = await deriveIndexKey(sellerId)
  const columns = {
    id: replaced.map(({ id }) => id),
    digest: replaced.map(({ code }) => hashCode(indexKey, code).toString('hex')),
    booking: replaced.map(({ bookingId }) => bookingId),
  }
  await connection.rows(sql`
    update ${ticketChanges} set code_digest = decode(replaced.digest, 'hex'), booking_id = replaced.booking from ${textTable(columns)} as replaced
    where seller_id = ${sellerId} and ticket_id = replaced.id`)
}

/**
 * Locks the scans of a code until the end of the transaction. Without the lock, two concurrent exits could let out the same guest. To
 * prevent deadlocks, lock the ticket's row before its scans, and lock the scans before changing any of them.
 */
const lockScans = ({ rows }: Connection, sellerId: string, digest: Buffer) =>
  rows(sql`select pg_advisory_xact_lock(hashtextextended(${sellerId} || ${digest.toString('hex')}, 0))`)

/** Identifies a guest by the scanned code or the ticket's ID, or both. */
type GuestIdentity = { code?: string | undefined; ticketId?: string | undefined }

/**
 * Returns the digest by which a guest's entries and exits are matched, and locks the scans that have it. The digest identifies the code
 * without revealing it. Normalizes case and spaces, because the code may have been typed.
 */
export async function findDigest(connection: Connection, sellerId: string, { code, ticketId }: GuestIdentity): Promise<Buffer> {
  const indexKey = await deriveIndexKey(sellerId)
  const own = hashCode(indexKey, code ?? ticketId ?? '')
  const [replaced] = await connection.rows<{ digest: string; bookingId: string | null }>(sql`
    select encode(code_digest, 'hex') as digest, booking_id as "bookingId" from ${ticketChanges}
    where seller_id = ${sellerId} and ticket_id = ${ticketId ?? null} and code_digest is not null
    union all
    select encode(code_digest, 'hex'), booking_id from ${ticketChanges}
    where seller_id = ${sellerId} and code_digest = ${own} and booking_id is not null
    union all
    select encode(code_digest, 'hex'), booking_id from ${ticketChanges}
    where seller_id = ${sellerId} and booking_id is not null and booking_id = (
      select ${bookingIdOf(sql`ticket`)} from ${tickets} as ticket where ticket.seller_id = ${sellerId} and ticket.id = ${ticketId ?? null})
    limit 1`)
  const digest = !replaced
    ? own
    : replaced.bookingId === null
      ? Buffer.from(replaced.digest, 'hex')
      : hashBooking(indexKey, replaced.bookingId)
  await lockScans(connection, sellerId, digest)
  // An imported ticket's code may have been scanned before the ticket replaced a generated one.
  if (replaced?.bookingId)
    await connection.rows(sql`update ${offlineScans} set code_digest = ${digest} where seller_id = ${sellerId} and code_digest = ${own}`)
  return digest
}

type Scan = { id: string; isEntry: boolean; pageId: string | null }

/**
 * The maximum number of scans of a code to match. If there are more, the code's exits have no effect: only a misused device would report
 * that many, and matching them would block the event loop.
 */
const MAX_SCANS = 1_000

/** The condition for exits without a known entry. A device may still report their entries. */
export const IS_UNMATCHED_EXIT = sql`direction = 'out' and decision = 'unknown' and is_decided and code_digest is not null and not has_left`

/**
 * Matches the exits of a code with its entries, in chronological order, and stores which guests have left. Each exit lets out the guest who
 * entered last, at the same event if both events are known, unless it has let out a ticket's guest. The result does not depend on the order
 * in which the scans arrive.
 *
 * @returns the IDs of the exits that let out a guest
 */
export async function matchExits(connection: Connection, sellerId: string, digest: Buffer): Promise<Set<string>> {
  const { rows } = connection
  const hasCode: SQL = sql`seller_id = ${sellerId} and code_digest = ${digest}`
  await lockScans(connection, sellerId, digest)
  const scans = await rows<Scan>(sql`
    select id, direction = 'in' as "isEntry", page_id as "pageId" from ${offlineScans}
    where ${hasCode} and (direction = 'in' or not has_left) order by corrected_at, id
    limit ${sql.raw(String(MAX_SCANS + 1))}`)
  if (scans.length > MAX_SCANS) return new Set()
  const inside: Scan[] = []
  const leftIds: string[] = []
  const exits = new Set<string>()
  for (const scan of scans) {
    if (scan.isEntry) inside.push(scan)
    else {
      const index = inside.findLastIndex(({ pageId }) => pageId === scan.pageId || pageId === null || scan.pageId === null)
      const [guest] = index < 0 ? [] : inside.splice(index, 1)
      if (!guest) continue
      leftIds.push(guest.id)
      exits.add(scan.id)
    }
  }
  const hasLeft = sql`id = any(${sql.param(leftIds)}::text[])`
  await rows(sql`update ${offlineScans} set has_left = ${hasLeft} where ${hasCode} and direction = 'in' and has_left <> (${hasLeft})`)
  if (exits.size === 0) return exits
  // Makes these exits permanent: if one were deleted with the unmatched exits, its guest would count as inside again.
  const isExit = sql`id = any(${sql.param([...exits])}::text[])`
  await rows(sql`update ${offlineScans} set decision = 'checked_out' where ${hasCode} and ${IS_UNMATCHED_EXIT} and ${isExit}`)
  return exits
}

/** The maximum number of unmatched exits to keep per code and ticket. More would only slow down later exits. */
const MAX_EXITS = 20

/** Links a ticket to the exits that were recorded with its code before the ticket existed. */
export async function linkExits(connection: Connection, sellerId: string, ticket: { id: string; code: string }): Promise<void> {
  // Uses the digest of this code only. The booking's digest would also match exits of other tickets' guests.
  const digest = hashCode(await deriveIndexKey(sellerId), ticket.code)
  await lockScans(connection, sellerId, digest)
  await connection.rows(sql`
    update ${offlineScans} set ticket_id = ${ticket.id}
    where seller_id = ${sellerId} and code_digest = ${digest} and direction = 'out' and ticket_id is null`)
}

/**
 * Stores which of a ticket's exits have let out one of the ticket's guests, and matches the others with entries that belong to no ticket.
 *
 * @param usedExits the IDs of the exits that have let out one of the ticket's guests, according to a replay
 * @param digest the digest of the ticket's code
 * @returns the exits that have changed
 */
export async function assignExits(
  connection: Connection,
  sellerId: string,
  ticketId: string,
  usedExits: ReadonlySet<string>,
  digest: Buffer,
): Promise<{ id: string; hasLeft: boolean }[]> {
  const isUsed = sql`id = any(${sql.param([...usedExits])}::text[])`
  const changed = await connection.rows<{ id: string; hasLeft: boolean; digest: string }>(sql`
    update ${offlineScans} set has_left = ${isUsed}
    where seller_id = ${sellerId} and ticket_id = ${ticketId} and direction = 'out' and code_digest is not null and has_left <> (${isUsed})
    returning id, has_left as "hasLeft", encode(code_digest, 'hex') as digest`)
  // The ticket may have had another code at the time of an exit.
  const digests = new Set([digest.toString('hex'), ...changed.map((exit) => exit.digest)])
  for (const text of digests) await matchExits(connection, sellerId, Buffer.from(text, 'hex'))
  return changed
}

/** The properties of a change that a check-out needs. `checkIn` is false for a preview. */
type Exit = {
  sellerId: string
  actorId: string
  direction?: 'in' | 'out' | undefined
  checkIn?: boolean | undefined
  idempotencyKey?: string | undefined
  onlyPageId?: string | undefined
  source?: ScanSource | undefined
} & ({ code: string } | { ticketId: string })

/**
 * Lets out a guest who was let in without a ticket for the event, in the caller's transaction. The exit is stored, because a device might
 * report the entry later. Does nothing unless the guest is leaving, was identified by a code, and the request has an idempotency key.
 *
 * @param ticket the ticket with this code, if there is one
 * @param isExtraGuest whether the guest who leaves entered with the ticket, in addition to the one who is checked in
 * @param now ISO 8601
 * @returns whether a guest with this code was inside
 * @throws {ConcurrentChangeError} if a concurrent request with the same key has just stored the exit
 */
export async function checkOutUnlistedGuest(
  connection: Connection,
  exit: Exit,
  ticket: { id: string; code: string } | undefined,
  isExtraGuest: boolean,
  now: string,
): Promise<boolean> {
  const { sellerId, actorId, direction, checkIn, idempotencyKey: id, onlyPageId: pageId, source } = exit
  if (direction !== 'out' || !checkIn || id === undefined || !('code' in exit)) return false
  const digest = await findDigest(connection, sellerId, { code: ticket?.code ?? exit.code, ticketId: ticket?.id })
  const stored = await connection.rows(sql`
    with superseded as (
      delete from ${offlineScans} where (seller_id, id) in (
        select seller_id, id from ${offlineScans} where seller_id = ${sellerId} and code_digest = ${digest} and ${IS_UNMATCHED_EXIT}
          and ticket_id is not distinct from ${ticket?.id ?? null}
        order by corrected_at desc, id desc offset ${MAX_EXITS - 1}))
    insert into ${offlineScans} (seller_id, id, ticket_id, actor_id, page_id, method, source, direction, decision, is_decided, claimed_at, corrected_at,
      code_digest, has_left)
    values (${sellerId}, ${id}, ${ticket?.id ?? null}, ${actorId}, ${pageId ?? null}, 'QRSCAN', ${source ?? null}, 'out', 'unknown', true, ${now}, ${now},
      ${digest}, ${isExtraGuest})
    on conflict do nothing returning id`)
  if (stored.length === 0) throw new ConcurrentChangeError()
  return (await matchExits(connection, sellerId, digest)).has(id)
}
