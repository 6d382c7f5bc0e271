/** Returns SQL for the name of the user, API key or device that scanned or changed something. */
import { type Placeholder, type SQL, sql } from 'drizzle-orm'
import { apiKeys, devices, users } from '@/db/schema'

/** Returns an expression for an actor: the name of a device or API key, or the email address of a user. Null if the ID is unknown. */
export const actorName = (sellerId: string | Placeholder, actorId: SQL) => sql`coalesce(
  (select name from ${devices} as device where device.seller_id = ${sellerId} and device.id = ${actorId}),
  (select email from ${users} as member where member.seller_id = ${sellerId} and member.id = ${actorId}),
  (select name from ${apiKeys} as api_key where api_key.seller_id = ${sellerId} and api_key.id = ${actorId}))`
