/** Stores and replays the responses of write operations under their idempotency keys. */
import { createHash } from 'node:crypto'
import { sql } from 'drizzle-orm'
import type { Connection } from '@/db/client'
import { KeyTakenError, type StoredResponse } from '../admission/idempotency-keys'
import { STORE_RESPONSE, STORED_RESPONSE } from '../admission/statements'
import { ApiError } from '../core/errors'

const READ = sql`select ${STORED_RESPONSE} as stored`

/** A request with an idempotency key. */
export type KeyedRequest = {
  sellerId: string
  /** The idempotency key. */
  key: string
  /** SHA-256 of the method, the path, the body and the `If-Match` header. */
  fingerprint: Buffer
}

/** Returns the fingerprint of a request. @param path the path, with its IDs in lowercase */
export const hashRequest = (method: string, path: string, body: unknown, ifMatch: string | undefined): Buffer =>
  createHash('sha256')
    .update(JSON.stringify([method, path, body, ...(ifMatch === undefined ? [] : [ifMatch])]))
    .digest()

/**
 * Returns the response stored under a request's key, or undefined if there is none. Call this only after locking the record that will be
 * changed.
 *
 * @throws {ApiError} `idempotency_mismatch` if the key was used with a different request
 */
export async function findStoredResponse({ rows }: Connection, request: KeyedRequest): Promise<StoredResponse | undefined> {
  const { sellerId, key, fingerprint } = request
  const [row] = await rows<{ stored: StoredResponse | null }>(READ, { seller: sellerId, key })
  if (!row?.stored) return undefined
  if (row.stored.fingerprint === fingerprint.toString('hex')) return row.stored
  const message =
    'This Idempotency-Key was already used with a different request. Use a new key for each change; reuse a key only to retry the same request.'
  throw new ApiError('idempotency_mismatch', message, 'Idempotency-Key')
}

/** Stores a response under a request's key. @throws {KeyTakenError} if a concurrent request has stored one */
export async function storeResponse({ rows }: Connection, request: KeyedRequest, status: number, response: string): Promise<void> {
  const { sellerId, key, fingerprint } = request
  const stored = await rows(STORE_RESPONSE, { seller: sellerId, key, fingerprint, responseStatus: status, response, now: null })
  if (stored.length === 0) throw new KeyTakenError()
}
