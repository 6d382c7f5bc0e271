/** A lock per seller that prevents erasures and writers of personal data from running concurrently. */
import { sql } from 'drizzle-orm'
import type { Connection } from '@/db/client'
import { UnavailableError, unavailableReason } from '@/db/unavailable'

/** Returns the key of the advisory lock that an erasure holds exclusively and that writers of personal data share. */
const lockKey = (seller: string) => sql`hashtextextended(${seller} || ' erasures', 0)`

/** Waits for a running erasure, and blocks new ones until the transaction ends. For imports and other writers in the background. */
export const waitForErasure = ({ rows }: Connection, seller: string) => rows(sql`select pg_advisory_xact_lock_shared(${lockKey(seller)})`)

/**
 * Blocks new erasures until the transaction ends, but does not wait for a running one, which can take minutes. For callers that can try
 * again later: while waiting, they would occupy connections that other sellers need.
 *
 * @returns false if an erasure is running
 */
export async function tryBlockErasures({ rows }: Connection, seller: string): Promise<boolean> {
  const [lock] = await rows<{ isHeld: boolean }>(sql`select pg_try_advisory_xact_lock_shared(${lockKey(seller)}) as "isHeld"`)
  return lock?.isHeld === true
}

/** Returns the error for a writer of personal data that does not wait for an erasure. */
export const createErasureError = () => new UnavailableError('A customer of the seller is being erased.', { code: 'erasure_running' })

/** Returns whether an error comes from `createErasureError`. */
export const isErasureError = (error: unknown): boolean => unavailableReason(error) === 'erasure_running'

/**
 * Blocks new erasures until the transaction ends. Unlike `waitForErasure`, does not keep its connection waiting.
 *
 * @throws {UnavailableError} if the data of one of the seller's customers is being erased
 */
export async function blockErasures(connection: Connection, seller: string): Promise<void> {
  if (!(await tryBlockErasures(connection, seller))) throw createErasureError()
}

/** Waits for the writers of personal data, and blocks new ones until the transaction ends. */
export const lockWriters = ({ rows }: Connection, seller: string) => rows(sql`select pg_advisory_xact_lock(${lockKey(seller)})`)
