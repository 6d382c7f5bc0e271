/**
 * Checks the stored numbers of people inside, per ticket and per unknown code, against the scans, and optionally corrects them. Triggers
 * then update the counts per event.
 */
import { type SQL, sql } from 'drizzle-orm'
import { type Connection, database } from '@/db/client'
import { checkIns, offlineScans, tickets } from '@/db/schema'
import { type ContextRow, countExtraInside, type TicketRow, toFacts } from './offline-scan-facts'
import { CONTEXT, LOCK } from './offline-scan-statements'
import { replayFacts } from './replay-facts'
import { assignExits, findDigest, matchExits } from './unlisted-guests'

/** Stored values (`stored`) that differ from those that result from the scans (`actual`), by column. */
export type OccupancyDifference = {
  table: 'tickets' | 'offline_scans'
  key: { seller_id: string; id: string }
  stored: Record<string, number>
  actual: Record<string, number>
}

/**
 * Selects the tickets that may have several scans. Omits tickets with imported entries whose time is unknown, because they cannot be
 * replayed. Also omits tickets whose last change at check-in was over 395 days ago, because exits without a check-in are deleted after 400
 * days.
 */
const selectCandidates = (condition: SQL) => sql`
  select ticket.seller_id as "sellerId", ticket.id from ${tickets} as ticket
  where ${condition} and (ticket.extra_inside <> 0 or ticket.check_in_count > 1
      or exists (select from ${offlineScans} as scan where scan.seller_id = ticket.seller_id and scan.ticket_id = ticket.id))
    and not exists (select from ${checkIns} as entry where entry.seller_id = ticket.seller_id and entry.ticket_id = ticket.id and entry.at is null)
    and coalesce(ticket.door_at, now()) > now() - interval '395 days'
  order by 1, 2`

/** Returns the difference for a scan whose `has_left` was the opposite of `hasLeft`. */
const toScanDifference = (sellerId: string, { id, hasLeft }: { id: string; hasLeft: boolean }): OccupancyDifference => ({
  table: 'offline_scans',
  key: { seller_id: sellerId, id },
  stored: { has_left: Number(!hasLeft) },
  actual: { has_left: Number(hasLeft) },
})

/**
 * Recounts the people inside with a ticket, and determines again which exits let someone out. Compares only the total, because its split
 * between the ticket's guest and extra people depends on the entry policy and on cancellation, which might have changed since the scans.
 */
async function recountTicket(connection: Connection, sellerId: string, id: string): Promise<OccupancyDifference[]> {
  const { rows } = connection
  const [ticket] = await rows<TicketRow>(LOCK.ticketId, { seller: sellerId, ticketId: id })
  if (!ticket) return []
  const [context] = await rows<ContextRow>(CONTEXT, { seller: sellerId, id: '', ticketId: id, pageId: ticket.pageId, doorPageId: null })
  if (!context || context.isFull) return []
  const { before, others, rules } = toFacts(ticket, context)
  const replay = replayFacts([...before, ...others], rules)
  const hasExits = others.some(({ kind }) => kind === 'out') || before.some(({ kind, scanId }) => kind === 'out' && scanId !== null)
  const digest = hasExits ? await findDigest(connection, sellerId, { code: ticket.code, ticketId: id }) : undefined
  const changed = digest ? await assignExits(connection, sellerId, id, replay.usedExits, digest) : []
  const exits = changed.map((exit) => toScanDifference(sellerId, exit))
  const actual = countExtraInside(replay, rules, ticket.checkInStatus)
  if (actual === ticket.extraInside) return exits
  await rows(sql`update ${tickets} set extra_inside = ${actual} where seller_id = ${sellerId} and id = ${id}`)
  const [stored, counted] = [{ extra_inside: ticket.extraInside }, { extra_inside: actual }]
  return [{ table: 'tickets', key: { seller_id: sellerId, id }, stored, actual: counted }, ...exits]
}

/** Rematches a code's exits with its entries, and returns what changed. */
async function recountCode(connection: Connection, sellerId: string, digest: Buffer): Promise<OccupancyDifference[]> {
  const read = () =>
    connection.rows<{ id: string; hasLeft: boolean }>(
      sql`select id, has_left as "hasLeft" from ${offlineScans} where seller_id = ${sellerId} and code_digest = ${digest} order by id`,
    )
  const stored = await read()
  await matchExits(connection, sellerId, digest)
  const actual = await read()
  return actual.filter(({ hasLeft }, index) => stored[index]?.hasLeft === !hasLeft).map((scan) => toScanDifference(sellerId, scan))
}

/** Thrown to roll back a transaction. */
class RollbackError extends Error {}

/** Runs a repair in a transaction, and returns what it changed. Rolls the changes back unless `shouldRepair` is true. */
async function runRepair(
  shouldRepair: boolean,
  repair: (connection: Connection) => Promise<OccupancyDifference[]>,
): Promise<OccupancyDifference[]> {
  let differences: OccupancyDifference[] = []
  const run = async (connection: Connection) => {
    differences = await repair(connection)
    if (!shouldRepair) throw new RollbackError()
  }
  await database()
    .transaction(run)
    .catch((error: unknown) => {
      if (!(error instanceof RollbackError)) throw error
    })
  return differences
}

/**
 * Replays the scans of each ticket and unknown code, and compares the number of people inside with the stored number. Locks one ticket at a
 * time.
 *
 * @param shouldRepair whether to correct differences
 * @param onlySellerId the seller; all sellers by default
 * @returns the differences
 */
export async function recountOccupancy(shouldRepair: boolean, onlySellerId?: string): Promise<OccupancyDifference[]> {
  const differences: OccupancyDifference[] = []
  const condition = onlySellerId === undefined ? sql`true` : sql`seller_id = ${onlySellerId}`
  const candidates = await database().query<{ sellerId: string; id: string }>(selectCandidates(condition))
  for (const { sellerId, id } of candidates)
    differences.push(...(await runRepair(shouldRepair, (connection) => recountTicket(connection, sellerId, id))))
  const codes = await database().query<{ sellerId: string; digest: string }>(sql`
    select distinct seller_id as "sellerId", encode(code_digest, 'hex') as digest from ${offlineScans}
    where ${condition} and code_digest is not null order by 1, 2`)
  for (const { sellerId, digest } of codes)
    differences.push(...(await runRepair(shouldRepair, (connection) => recountCode(connection, sellerId, Buffer.from(digest, 'hex')))))
  return differences
}
