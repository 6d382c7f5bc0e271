/** The limit of failed API keys per client address: past it, only keys that this server knows are checked for the address. */
import { LRUCache } from 'lru-cache'
import { reportLoad } from '@/db/semaphore'
import { ApiError } from '../core/errors'
import { retryIn } from './rate-limit'

/** More than a client whose key was revoked usually sends, and little work for the server. */
const PER_MINUTE = 300
const MINUTE_MS = 60_000
const MAX_ADDRESSES = 10_000

/** Failed keys by address, in windows that start with the first failure. */
const failures = new LRUCache<string, number>({ max: MAX_ADDRESSES, ttl: MINUTE_MS, noUpdateTTL: true })
let refused = 0

reportLoad('failed_keys', () => ({ active: 0, waiting: 0, refused }))

/** @param address undefined under Next's own server, which has no such limit */
export function countFailedKey(address: string | undefined): void {
  if (address !== undefined) failures.set(address, (failures.get(address) ?? 0) + 1)
}

/** Refuses an unknown key of an address with too many failed ones. @throws {ApiError} `rate_limited` */
export function refuseFailedAddress(address: string | undefined): void {
  if (address === undefined || (failures.get(address) ?? 0) < PER_MINUTE) return
  refused += 1
  const seconds = Math.max(1, Math.ceil(failures.getRemainingTTL(address) / 1000))
  const message = `Rate limit exceeded: ${PER_MINUTE} invalid API keys per minute from this address. Check the key. ${retryIn(seconds)}`
  throw new ApiError('rate_limited', message, 'Authorization', { 'Retry-After': String(seconds) })
}
