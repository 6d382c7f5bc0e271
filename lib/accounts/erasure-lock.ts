/** The lock of a seller that keeps erasures and writers of personal data apart. */
import { sql } from 'drizzle-orm'
import type { Connection } from '@/db/client'

/** Returns the key of the advisory lock that an erasure holds exclusively and that writers of personal data share. */
const lockKey = (seller: string) => sql`hashtextextended(${seller} || ' erasures', 0)`

/** Waits for a running erasure, and blocks new ones until the transaction ends. */
export const waitForErasure = ({ rows }: Connection, seller: string) => rows(sql`select pg_advisory_xact_lock_shared(${lockKey(seller)})`)

/**
 * Blocks new erasures until the transaction ends, but does not wait for a running one, which can take minutes: callers that can try again
 * later would meanwhile occupy the connections that other sellers need.
 *
 * @returns false if an erasure is running
 */
export async function tryBlockErasures({ rows }: Connection, seller: string): Promise<boolean> {
  const [lock] = await rows<{ isHeld: boolean }>(sql`select pg_try_advisory_xact_lock_shared(${lockKey(seller)}) as "isHeld"`)
  return lock?.isHeld === true
}

/** Waits for the writers of personal data, and blocks new ones until the transaction ends. */
export const lockWriters = ({ rows }: Connection, seller: string) => rows(sql`select pg_advisory_xact_lock(${lockKey(seller)})`)
