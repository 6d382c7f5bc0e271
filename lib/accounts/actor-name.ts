/** Returns SQL for the name of the user, API key or device that scanned or changed something. */
import { type Placeholder, type SQL, sql } from 'drizzle-orm'
import { apiKeys, devices, users, validationAttempts } from '@/db/schema'

/** Returns an expression for an actor: the name of a device or API key, or the email address of a user. Null if the ID is unknown. */
export const actorName = (sellerId: string | Placeholder, actorId: SQL) => sql`coalesce(
  (select name from ${devices} as device where device.seller_id = ${sellerId} and device.id = ${actorId}),
  (select email from ${users} as member where member.seller_id = ${sellerId} and member.id = ${actorId}),
  (select name from ${apiKeys} as api_key where api_key.seller_id = ${sellerId} and api_key.id = ${actorId}))`

/**
 * Returns an expression for the name of the device or actor that made a scan: the device's name if the request contained one; otherwise the
 * actor's. The device's name is stored with the attempt, which has the same time as the scan. The actor of an offline scan is its device.
 *
 * @param scan the alias of a table with `ticket_id` and `actor_id`
 * @param at the time of the scan
 */
export const scannerName = (sellerId: string | Placeholder, scan: SQL, at: SQL) => sql`coalesce(
  (select nullif(attempt.device, '') from ${validationAttempts} as attempt where attempt.seller_id = ${sellerId}
    and attempt.ticket_id = ${scan}.ticket_id and attempt.at = ${at} and attempt.outcome in ('admitted', 'checked_out') and not attempt.is_late limit 1),
  ${actorName(sellerId, sql`${scan}.actor_id`)})`
