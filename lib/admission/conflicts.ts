/** Conflicts: scans that a device decided offline and that contradict another scan or the server. Staff review each of them. */
import { type SQL, sql } from 'drizzle-orm'
import { z } from 'zod'
import { database } from '@/db/client'
import { apiKeys, checkIns, devices, offlineScans, pages, tickets, users } from '@/db/schema'
import { limitParam } from '../catalog/list-params'
import { boundedText } from '../catalog/shapes'
import { isStorable } from '../catalog/ticket'
import { dayText, instantText } from '../core/sql'

/** The schema of the note that staff add to a review. The note is required, because a review cannot be changed later. */
export const conflictNote = z.string().trim().pipe(boundedText(1, 200).refine(isStorable))

/** A conflict's group and ID. The group is part of the cursor, because a review changes it. */
const cursorParam = z.string().regex(/^[0-2]\.[\x21-\x7e]{1,255}$/, 'must be the cursor of a conflict')
/** The query parameters of a page of conflicts. */
export const conflictParams = z.strictObject({
  limit: limitParam,
  starting_after: cursorParam.optional(),
  ending_before: cursorParam.optional(),
})

export type ConflictKind = NonNullable<typeof offlineScans.$inferSelect.conflict>

export type ListedConflict = {
  id: string
  /** Its position in the list. */
  cursor: string
  kind: ConflictKind
  /** The time of the scan, in ISO 8601. */
  at: string
  /** Who made the scan: the name of a device or API key, or a user's email address. */
  gate: string | null
  isOverride: boolean
  /** When and by whom the ticket was checked in; null if this is unknown, or the ticket is not checked in. */
  checkedInAt: string | null
  /** The day of a check-in whose time is unknown, as `YYYY-MM-DD`. */
  checkedInDay: string | null
  checkedInGate: string | null
  /** Null if no ticket has the code. */
  ticketId: string | null
  guest: string | null
  shortId: string | null
  /** The name of the ticket's event, or of the door's event if the ticket is unknown or has no event. */
  event: string | null
  reviewedAt: string | null
  reviewedBy: string | null
  note: string | null
}

/** Returns an expression for the actor of a scan or a check-in: the name of a device or API key, or a user's email address. */
export const actorName = (sellerId: string, actorId: SQL) => sql`coalesce(
  (select name from ${devices} as device where device.seller_id = ${sellerId} and device.id = ${actorId}),
  (select email from ${users} as member where member.seller_id = ${sellerId} and member.id = ${actorId}),
  (select name from ${apiKeys} as api_key where api_key.seller_id = ${sellerId} and api_key.id = ${actorId}))`

/** Unreadable scans come after the other open conflicts, because a single device can report many of them. */
const GROUP = sql`case when reviewed_at is not null then 0 when conflict = 'unreadable' then 1 else 2 end`

type ConflictsQuery = { cursor?: string | undefined; direction?: 'older' | 'newer'; limit?: number }

/**
 * Lists a seller's conflicts: first the open ones, with unreadable scans last, then the reviewed ones, each newest first.
 *
 * @param query the cursor, the side of the cursor to read, and the maximum number of conflicts. If `direction` is `newer`, the list is in
 *   reverse order
 */
export function listConflicts(
  sellerId: string,
  { cursor, direction = 'older', limit = 200 }: ConflictsQuery = {},
): Promise<ListedConflict[]> {
  const [order, comparison] = direction === 'newer' ? [sql`asc`, sql`>`] : [sql`desc`, sql`<`]
  const [group, id] = [cursor?.slice(0, 1), cursor?.slice(2)]
  const isBeyondCursor =
    cursor === undefined
      ? sql`true`
      : sql`(${GROUP}, corrected_at, id) ${comparison}
          (select ${group}::int, corrected_at, id from ${offlineScans} where seller_id = ${sellerId} and id = ${id})`
  return database().use(({ rows }) =>
    rows<ListedConflict>(sql`
      select scan.id, scan."group" || '.' || scan.id as cursor, scan.conflict as kind, ${instantText(sql`scan.corrected_at`)} as at,
        ${actorName(sellerId, sql`scan.actor_id`)} as gate, scan.is_override as "isOverride",
        ${instantText(sql`entry.at`)} as "checkedInAt", ${actorName(sellerId, sql`entry.actor_id`)} as "checkedInGate",
        case when entry.at is null then ${dayText(sql`entry.day`)} end as "checkedInDay",
        ticket.id as "ticketId", ticket.record ->> 'customerName' as guest,
        ticket.record ->> 'ticketShortId' as "shortId", page.name as event,
        ${instantText(sql`scan.reviewed_at`)} as "reviewedAt", ${actorName(sellerId, sql`scan.reviewed_by`)} as "reviewedBy", scan.note
      from (
        select *, ${GROUP} as "group" from ${offlineScans} where seller_id = ${sellerId} and conflict is not null and ${isBeyondCursor}
        order by "group" ${order}, corrected_at ${order}, id ${order} limit ${limit}) as scan
      left join ${tickets} as ticket on ticket.seller_id = scan.seller_id and ticket.id = scan.ticket_id
      left join ${pages} as page on page.seller_id = scan.seller_id and page.id = coalesce(ticket.page_id, scan.page_id)
      left join ${checkIns} as entry on entry.seller_id = scan.seller_id and entry.ticket_id = scan.ticket_id and entry.is_current
      order by scan."group" ${order}, scan.corrected_at ${order}, scan.id ${order}`),
  )
}

/** A conflict as shown on the device that made the scan. It omits the ticket and the guest, which only the dashboard shows. */
export type DeviceConflict = {
  /** The ID of the scan. */
  id: string
  kind: ConflictKind
  /** ISO 8601. */
  at: string
  /** If the scan is a double entry: when and by whom the entry that counts was made. */
  otherAt: string | null
  otherGate: string | null
}

/**
 * The condition for conflicts that staff at the door can act on. Omits guests with unknown codes whom the staff let in on purpose, because
 * the staff already know about them.
 */
const isForDoor = sql`(scan.conflict in ('double_entry', 'canceled', 'other_event', 'refused_in_error')
  or scan.conflict = 'unknown_code' and not scan.is_override)`
const MAX_DEVICE_CONFLICTS = 20

/** Lists the open conflicts among a device's scans of the last 12 hours, newest first. */
export function listDeviceConflicts(sellerId: string, deviceId: string): Promise<DeviceConflict[]> {
  return database().use(({ rows }) =>
    rows<DeviceConflict>(sql`
      select scan.id, scan.conflict as kind, ${instantText(sql`scan.corrected_at`)} as at, ${instantText(sql`entry.at`)} as "otherAt",
        ${actorName(sellerId, sql`entry.actor_id`)} as "otherGate"
      from ${offlineScans} as scan
      left join ${checkIns} as entry on scan.conflict = 'double_entry' and entry.seller_id = scan.seller_id and entry.ticket_id = scan.ticket_id
        and entry.is_current
      where scan.seller_id = ${sellerId} and scan.actor_id = ${deviceId} and scan.conflict is not null and scan.reviewed_at is null
        and ${isForDoor} and scan.corrected_at > now() - interval '12 hours'
      order by scan.corrected_at desc, scan.id limit ${MAX_DEVICE_CONFLICTS}`),
  )
}

/** Returns the number of conflicts that have not been reviewed. */
export async function countOpenConflicts(sellerId: string): Promise<number> {
  const [row] = await database().use(({ rows }) =>
    rows<{ count: number }>(sql`
      select count(*)::int as count from ${offlineScans}
      where seller_id = ${sellerId} and conflict is not null and reviewed_at is null`),
  )
  return row?.count ?? 0
}

/** Marks a conflict as reviewed. Returns false if the seller has no such open conflict. */
export async function reviewConflict(sellerId: string, id: string, note: string, userId: string): Promise<boolean> {
  const reviewed = await database().use(({ rows }) =>
    rows(sql`
      update ${offlineScans} set reviewed_at = now(), reviewed_by = ${userId}, note = ${note}
      where seller_id = ${sellerId} and id = ${id} and conflict is not null and reviewed_at is null returning 1`),
  )
  return reviewed.length > 0
}
