/** Lists check-in conflicts for review. */
import { sql } from 'drizzle-orm'
import { z } from 'zod'
import { database } from '@/db/client'
import { checkIns, offlineScans, pages, tickets } from '@/db/schema'
import { actorName, scannerName } from '../accounts/actor-name'
import { limitParam } from '../catalog/list-params'
import { dayText, instantText } from '../core/sql'
import { type Direction, keyset, orderBy } from './keyset'

/** A conflict's group and ID. The group is part of the cursor, because a review moves the conflict to another group. */
const cursorParam = z.string().regex(/^[0-2]\.[\x21-\x7e]{1,255}$/, 'must be the cursor of a conflict')
/** The query parameters of a page of conflicts. */
export const conflictParams = z.strictObject({
  limit: limitParam,
  starting_after: cursorParam.optional(),
  ending_before: cursorParam.optional(),
})

export type ListedConflict = {
  id: string
  /** The conflict's group and ID, as in `conflictParams`. */
  cursor: string
  kind: NonNullable<typeof offlineScans.$inferSelect.conflict>
  /** The time of the scan, in ISO 8601. */
  at: string
  /** Who made the scan: the name of the device if the request gave one; otherwise a user's email address, or the name of an API key. */
  scannedBy: string | null
  /** Whether staff let the guest in although the code was not on the device's list. */
  isOverride: boolean
  /** The time of the ticket's current check-in; null if it is unknown, or if the ticket is not checked in. */
  checkedInAt: string | null
  /** The day of that check-in if its time is unknown, as `YYYY-MM-DD`. */
  checkedInDay: string | null
  /** Who made that check-in, in the same format as `scannedBy`. */
  checkedInBy: string | null
  /** Null if no ticket has the code. */
  ticketId: string | null
  /** The guest's name. */
  guest: string | null
  /** The ticket's short ID. */
  shortId: string | null
  /** The name of the ticket's event, or of the door's event if the ticket is unknown or has no event. */
  event: string | null
  reviewedAt: string | null
  reviewedBy: string | null
  note: string | null
}

/** Unreadable scans come after the other open conflicts, because a single device can report many of them. */
const GROUP = sql`case when reviewed_at is not null then 0 when conflict = 'unreadable' then 1 else 2 end`

type ConflictsQuery = { cursor?: string | undefined; direction?: Direction; limit?: number }

/**
 * Lists a seller's conflicts: first the open ones, with unreadable scans last, then the reviewed ones, each newest first.
 *
 * @param query the cursor, the side of the cursor to read, and the maximum number of conflicts. If `direction` is `newer`, the conflicts
 *   are in reverse order
 */
export function listConflicts(
  sellerId: string,
  { cursor, direction = 'older', limit = 200 }: ConflictsQuery = {},
): Promise<ListedConflict[]> {
  const [group, id] = [cursor?.slice(0, 1), cursor?.slice(2)]
  const isOwn = sql`seller_id = ${sellerId}`
  const page = sql`select *, ${GROUP} as "group" ${keyset({
    from: offlineScans,
    order: [GROUP, offlineScans.correctedAt, offlineScans.id],
    where: sql`${isOwn} and conflict is not null`,
    cursor:
      cursor === undefined ? undefined : sql`(select ${group}::int, corrected_at, id from ${offlineScans} where ${isOwn} and id = ${id})`,
    direction,
    limit,
  })}`
  return database().query<ListedConflict>(sql`
    select scan.id, scan."group" || '.' || scan.id as cursor, scan.conflict as kind, ${instantText(sql`scan.corrected_at`)} as at,
      ${scannerName(sellerId, sql`scan`, sql`scan.corrected_at`)} as "scannedBy", scan.is_override as "isOverride",
      ${instantText(sql`entry.at`)} as "checkedInAt", ${scannerName(sellerId, sql`entry`, sql`entry.at`)} as "checkedInBy",
      case when entry.at is null then ${dayText(sql`entry.day`)} end as "checkedInDay",
      ticket.id as "ticketId", ticket.record ->> 'customerName' as guest,
      ticket.record ->> 'ticketShortId' as "shortId", page.name as event,
      ${instantText(sql`scan.reviewed_at`)} as "reviewedAt", ${actorName(sellerId, sql`scan.reviewed_by`)} as "reviewedBy", scan.note
    from (${page}) as scan
    left join ${tickets} as ticket on ticket.seller_id = scan.seller_id and ticket.id = scan.ticket_id
    left join ${pages} as page on page.seller_id = scan.seller_id and page.id = coalesce(ticket.page_id, scan.page_id)
    left join ${checkIns} as entry on entry.seller_id = scan.seller_id and entry.ticket_id = scan.ticket_id and entry.is_current
    order by ${orderBy([sql`scan."group"`, sql`scan.corrected_at`, sql`scan.id`], direction)}`)
}
