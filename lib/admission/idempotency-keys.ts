/** Responses stored under idempotency keys, and retries of changes that a concurrent request has interfered with. */
import { sql } from 'drizzle-orm'
import { idempotencyKeys } from '@/db/schema'
import { PURGE_BATCH, purgeInBatches } from '../core/purge'
import { KEY_LIFETIME } from './statements'

/** A response stored under an idempotency key: its status, its body (`response`), and the request's fingerprint in hexadecimal. */
export type StoredResponse = { fingerprint: string; status: number; response: string }

/**
 * Thrown if a concurrent request has just stored a response under the same idempotency key, or given a ticket's code to another ticket. The
 * change is then retried: it returns that response, or changes the other ticket.
 */
export class ConcurrentChangeError extends Error {}

const MAX_TRIES = 3

/** Runs a change, and retries it up to twice if it throws `ConcurrentChangeError`. */
export async function retryConcurrentChange<T>(change: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await change()
    } catch (error) {
      if (!(error instanceof ConcurrentChangeError) || tries === MAX_TRIES) throw error
    }
  }
}

/** Deletes idempotency keys that are older than 30 days. */
export const purgeIdempotencyKeys = (): Promise<void> =>
  purgeInBatches(sql`
    delete from ${idempotencyKeys} where (seller_id, key) in (
      select seller_id, key from ${idempotencyKeys} where ${idempotencyKeys.createdAt} <= now() - ${KEY_LIFETIME}
      order by ${idempotencyKeys.createdAt} limit ${PURGE_BATCH})
    returning 1`)
