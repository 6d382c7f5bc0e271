/** Waits until a transaction blocks other connections. */
import { sql } from 'drizzle-orm'
import { expect } from 'vitest'
import { type Connection, database } from '@/db/client'

/** Waits until at least `count` other connections are waiting for a lock held by this connection's transaction. */
export async function untilBlocking({ rows }: Connection, count = 1): Promise<void> {
  const [own] = await rows<{ pid: number }>(sql`select pg_backend_pid() as pid`)
  const blocked = sql`select 1 from pg_stat_activity where ${own?.pid}::int = any(pg_blocking_pids(pid))`
  // Run the query outside the transaction, because pg_stat_activity is cached within a transaction.
  const isBlocking = async () => (await database().use((other) => other.rows(blocked))).length >= count
  await expect.poll(isBlocking, { interval: 5, message: 'other connections wait' }).toBe(true)
}
