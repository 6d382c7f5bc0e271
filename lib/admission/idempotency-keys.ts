/** Responses stored under idempotency keys, and retries of requests whose key was just used by a concurrent request. */
import { sql } from 'drizzle-orm'
import { idempotencyKeys } from '@/db/schema'
import { PURGE_BATCH, purgeInBatches } from '../core/purge'
import { KEY_LIFETIME } from './statements'

/** A response stored under an idempotency key: its status, its body (`response`), and the request's fingerprint in hexadecimal. */
export type StoredResponse = { fingerprint: string; status: number; response: string }

/**
 * Thrown if a concurrent request has just stored a response under the same idempotency key. The change is then retried, and returns that
 * response.
 */
export class KeyTakenError extends Error {}

const MAX_TRIES = 3

/** Runs a change with an idempotency key, and retries it up to twice if a concurrent request has just used the same key. */
export async function retryTakenKey<T>(change: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await change()
    } catch (error) {
      if (!(error instanceof KeyTakenError) || tries === MAX_TRIES) throw error
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
