/** Limits failed API keys per client address. Above the limit, requests from the address are accepted only with keys that this server has verified. */
import { LRUCache } from 'lru-cache'
import { reportLoad } from '@/db/semaphore'
import { ApiError } from '../core/errors'
import { retryIn } from './rate-limit'

/** The limit: more than a client with a revoked key usually sends, and little work for the server. */
const PER_MINUTE = 300
const MINUTE_MS = 60_000
const MAX_ADDRESSES = 10_000

/** Counts failed keys by address, in windows that start with the first failure. */
const failures = new LRUCache<string, number>({ max: MAX_ADDRESSES, ttl: MINUTE_MS, noUpdateTTL: true })
let refused = 0

reportLoad('failed_keys', () => ({ active: 0, waiting: 0, refused }))

/** Counts a failed key. @param address undefined under Next's own server, which has no such limit */
export function countFailedKey(address: string | undefined): void {
  if (address !== undefined) failures.set(address, (failures.get(address) ?? 0) + 1)
}

/** Rejects an unknown key from an address with too many failed keys. @throws {ApiError} `rate_limited` */
export function refuseFailedAddress(address: string | undefined): void {
  if (address === undefined || (failures.get(address) ?? 0) < PER_MINUTE) return
  refused += 1
  const seconds = Math.max(1, Math.ceil(failures.getRemainingTTL(address) / 1000))
  const message = `Rate limit exceeded: ${PER_MINUTE} invalid API keys per minute from this address. Check the key. ${retryIn(seconds)}`
  throw new ApiError('rate_limited', message, 'Authorization', { 'Retry-After': String(seconds) })
}
