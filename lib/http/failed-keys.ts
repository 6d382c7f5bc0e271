/** Limits unknown API keys per client address. Above the limit, an address can only use keys that the server already knows. */
import { LRUCache } from 'lru-cache'
import { reportLoad } from '@/db/semaphore'
import { ApiError } from '../core/errors'
import { retryIn } from './rate-limit'

/** The maximum number of unknown keys per address: more than a client with a revoked key usually sends, but little work for the server. */
const PER_MINUTE = 300
const MINUTE_MS = 60_000
const MAX_ADDRESSES = 10_000
/** The number of unknown keys by address, in a window that starts with the first of them. */
const counts = new LRUCache<string, number>({ max: MAX_ADDRESSES, ttl: MINUTE_MS, noUpdateTTL: true })
let refused = 0

reportLoad('failed_keys', () => ({ active: 0, waiting: 0, refused }))

/**
 * Counts a key that this server does not know, before it is looked up. Nearly all such keys are mistyped, revoked or forged.
 *
 * @param address undefined under Next's own server, which has no such limit
 * @throws {ApiError} `rate_limited` if the address has sent too many unknown keys
 */
export async function limitUnknownKeys(address: string | undefined): Promise<void> {
  if (address === undefined) return
  const count = (counts.get(address) ?? 0) + 1
  counts.set(address, count)
  if (count <= PER_MINUTE) return
  refused += 1
  const seconds = Math.max(1, Math.ceil(counts.getRemainingTTL(address) / 1000))
  const message = `Rate limit exceeded: ${PER_MINUTE} invalid API keys per minute from this address. Check the key. ${retryIn(seconds)}`
  throw new ApiError('rate_limited', message, 'Authorization', { 'Retry-After': String(seconds) })
}
