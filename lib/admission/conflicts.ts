/** Lists and reviews conflicts: scans whose offline decision contradicts another scan or the server. */
import { sql } from 'drizzle-orm'
import { z } from 'zod'
import { database } from '@/db/client'
import { checkIns, offlineScans } from '@/db/schema'
import { scannerName } from '../accounts/actor-name'
import { boundedText } from '../catalog/shapes'
import { isStorable } from '../catalog/ticket'
import { instantText } from '../core/sql'

/** The schema of the note that staff add to a review. The note is required, because a review cannot be changed later. */
export const conflictNote = z.string().trim().pipe(boundedText(1, 200).refine(isStorable))

export type ConflictKind = NonNullable<typeof offlineScans.$inferSelect.conflict>

/** A conflict as shown on the device that made the scan. It omits the ticket and the guest, which only the dashboard shows. */
export type DeviceConflict = {
  /** The ID of the scan. */
  id: string
  kind: ConflictKind
  /** The time of the scan on the server's clock, in ISO 8601. */
  at: string
  /**
   * For a double entry: when the ticket was checked in, and the name of the device, user or API key that checked it in (`scannerName`).
   * Null for other conflicts, and if the guest has left.
   */
  otherAt: string | null
  otherGate: string | null
}

/**
 * The condition for conflicts that staff at the door can act on. Omits guests with unknown codes whom the staff let in on purpose: the
 * staff already know about them.
 */
const isForDoor = sql`(scan.conflict in ('double_entry', 'canceled', 'other_event', 'refused_in_error')
  or scan.conflict = 'unknown_code' and not scan.is_override)`
const MAX_DEVICE_CONFLICTS = 20

/** Lists up to 20 open conflicts among a device's scans of the last 12 hours, newest first. */
export function listDeviceConflicts(sellerId: string, deviceId: string): Promise<DeviceConflict[]> {
  return database().query<DeviceConflict>(sql`
    select scan.id, scan.conflict as kind, ${instantText(sql`scan.corrected_at`)} as at, ${instantText(sql`entry.at`)} as "otherAt",
      ${scannerName(sellerId, sql`entry`, sql`entry.at`)} as "otherGate"
    from ${offlineScans} as scan
    left join ${checkIns} as entry on scan.conflict = 'double_entry' and entry.seller_id = scan.seller_id and entry.ticket_id = scan.ticket_id
      and entry.is_current
    where scan.seller_id = ${sellerId} and scan.actor_id = ${deviceId} and scan.conflict is not null and scan.reviewed_at is null
      and ${isForDoor} and scan.corrected_at > now() - interval '12 hours'
    order by scan.corrected_at desc, scan.id limit ${MAX_DEVICE_CONFLICTS}`)
}

/** Returns the number of conflicts that have not been reviewed. */
export async function countOpenConflicts(sellerId: string): Promise<number> {
  const [row] = await database().query<{ count: number }>(sql`
    select count(*)::int as count from ${offlineScans}
    where seller_id = ${sellerId} and conflict is not null and reviewed_at is null`)
  return row?.count ?? 0
}

/** Marks a conflict as reviewed. @param userId the reviewer @returns false if the seller has no such open conflict */
export async function reviewConflict(sellerId: string, id: string, note: string, userId: string): Promise<boolean> {
  const reviewed = await database().query(sql`
    update ${offlineScans} set reviewed_at = now(), reviewed_by = ${userId}, note = ${note}
    where seller_id = ${sellerId} and id = ${id} and conflict is not null and reviewed_at is null returning 1`)
  return reviewed.length > 0
}
