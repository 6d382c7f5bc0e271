/** Locks a user, so that concurrent changes to the user's data wait for each other. */
import { sql } from 'drizzle-orm'
import type { Connection } from '@/db/client'
import { users } from '@/db/schema'

/** Locks a user until the transaction ends. Waits for sessions that are being created. */
export async function lockUser({ rows }: Connection, userId: string): Promise<void> {
  await rows(sql`select 1 from ${users} where ${users.id} = ${userId} for no key update`)
}
