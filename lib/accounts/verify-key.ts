/** Generates and verifies API keys. A verified key is cached for up to one second, so a busy key causes about one lookup per second. */
import { randomInt, hash as toHash } from 'node:crypto'
import { channel } from 'node:diagnostics_channel'
import { crc32 } from 'node:zlib'
import { sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import { type Database, database } from '@/db/client'
import { apiKeys } from '@/db/schema'
import { createSemaphore, reportLoad } from '@/db/semaphore'
import { instantText } from '../core/sql'
import type { Scope } from './scopes'
import { touch } from './touch'

// Not specified: the format of a key.
const PREFIX = 'desk_'
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** The number of random characters, which have 178 bits of entropy. */
const RANDOM_LENGTH = 30
const FORMAT = /^desk_([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/

function toBase62(value: number, length: number): string {
  let text = ''
  for (let rest = value; text.length < length; rest = Math.floor(rest / 62)) text = BASE62.charAt(rest % 62) + text
  return text
}

const checksum = (random: string) => toBase62(crc32(random), 6)

/** Returns a new key: `desk_`, 30 random base62 characters, and a checksum that detects typing errors without a database query. */
export function generateKey(): string {
  const random = Array.from({ length: RANDOM_LENGTH }, () => BASE62.charAt(randomInt(62))).join('')
  return PREFIX + random + checksum(random)
}

/** Returns whether a key has the right format and checksum. It might still be unknown or revoked. */
export function isWellFormedKey(key: string): boolean {
  const match = FORMAT.exec(key)
  return match !== null && checksum(match[1] ?? '') === match[2]
}

/** Returns the SHA-256 hash of a key. Only this hash is stored. */
export const hashKey = (key: string) => toHash('sha256', key, 'buffer')

/** The key that a request was sent with, and the seller it belongs to. */
export type Principal = {
  keyId: string
  sellerId: string
  scopes: readonly string[]
  /** The end of the key's pause (pause-key.ts), in ISO 8601; null if it is not paused. */
  pausedUntil: string | null
}

/** Returns whether a key has a scope; `full` includes every scope. */
export const hasScope = (scopes: readonly string[], scope: Scope) => scopes.includes('full') || scopes.includes(scope)

/** How long a verified key is cached, in milliseconds. A key that was revoked on another server may still work here for this long. */
const TTL_MS = 1_000
/** The maximum number of cached keys. */
const MAX_KEYS = 10_000

/**
 * Limits lookups of keys that this process does not know, because almost all of them are forged. They wait in a separate queue, use the
 * connection pool that looks up keys for everything except check-in, and always leave one of its connections free.
 */
const unknownKeys = createSemaphore({ name: 'lookups of unknown API keys', limit: 1, queue: 64, waitMs: 750 })
reportLoad('unknown_keys', unknownKeys.load)

type PrincipalCache = {
  verified: LRUCache<string, Principal>
  /**
   * The hashes of the keys that this process knows to have been valid. They affect how a lookup is queued and limited, but not its result.
   */
  known: Set<string>
  /** Running lookups, shared by parallel requests with the same key. */
  pending: Map<string, Promise<Principal | undefined>>
}

/** On `globalThis`, because Next's bundle (which revokes keys) and the server (which checks them) each have a copy of this module. */
const holder = globalThis as typeof globalThis & { checkoutDeskPrincipals?: PrincipalCache }

function principals(): PrincipalCache {
  holder.checkoutDeskPrincipals ??= {
    verified: new LRUCache({ max: MAX_KEYS, ttl: TTL_MS, ttlResolution: 0 }),
    known: new Set(),
    pending: new Map(),
  }
  return holder.checkoutDeskPrincipals
}

const toCacheKey = (hash: Buffer) => hash.toString('base64')

/** The name of the channel that publishes changes to keys, so that the server's other process can apply them. */
export const KEY_CHANGES = 'checkout-desk:keys'

/** The hash of a key that was created, or the ID of a key that was revoked, rotated, paused or resumed. */
export type KeyChange = { knownHash: string } | { evictedId: string }

/** Applies a change, which another process may have made, to this process's cache. */
export function applyKeyChange(change: KeyChange): void {
  if ('knownHash' in change) principals().known.add(change.knownHash)
  else evict(change.evictedId)
}

function publish(change: KeyChange): void {
  applyKeyChange(change)
  channel(KEY_CHANGES).publish(change)
}

/** Adds a newly created key to the known keys. */
export const addKnownKey = (hash: Buffer): void => publish({ knownHash: toCacheKey(hash) })

/**
 * How far each load reaches back before the previous one, in milliseconds. A key's creation time is the start of its transaction, which
 * might have committed only after the previous load.
 */
const OVERLAP_MS = 60_000
let loadedAt: number | undefined

/** Adds all valid keys to the known keys on the first call, and those created since the last call on later calls. */
export async function loadKnownKeys(): Promise<void> {
  const start = performance.now()
  const sinceMs = loadedAt === undefined ? null : start - loadedAt + OVERLAP_MS
  const found = await database().query<{ hash: Buffer }>(sql`
    select ${apiKeys.hash} as hash from ${apiKeys}
    where ${apiKeys.revokedAt} is null and (${apiKeys.expiresAt} is null or ${apiKeys.expiresAt} > now())
      and (${sinceMs}::float8 is null or ${apiKeys.createdAt} >= now() - ${sinceMs}::float8 * interval '1 millisecond')`)
  for (const { hash } of found) applyKeyChange({ knownHash: toCacheKey(hash) })
  loadedAt = start
}

type VerifiedKey = {
  principal: Principal
  /** The time until the key expires, in milliseconds; null if it never expires. */
  expiresInMs: number | null
}

/** Built only once, with a placeholder, because a key in use is looked up every second. */
const FIND_KEY = sql`
  select ${apiKeys.id} as "keyId", ${apiKeys.sellerId} as "sellerId", ${apiKeys.scopes} as scopes,
    case when ${apiKeys.pausedUntil} > now() then ${instantText(apiKeys.pausedUntil)} end as "pausedUntil",
    (extract(epoch from ${apiKeys.expiresAt} - now()) * 1000)::float8 as "expiresInMs"
  from ${apiKeys}
  where ${apiKeys.hash} = ${sql.placeholder('hash')} and ${apiKeys.revokedAt} is null
    and (${apiKeys.expiresAt} is null or ${apiKeys.expiresAt} > now())`

/** Reads a key from the database. Returns undefined if it is unknown, revoked or expired. */
async function findKey(hash: Buffer, pool: Database): Promise<VerifiedKey | undefined> {
  const [found] = await pool.query<Principal & { expiresInMs: number | null }>(FIND_KEY, { hash })
  if (!found) return undefined
  const { expiresInMs, ...principal } = found
  return { principal, expiresInMs }
}

/** Looks up a key, shares the lookup with parallel requests, and caches the result. */
function lookUp({ verified, known, pending }: PrincipalCache, hash: Buffer, pool: Database): Promise<Principal | undefined> {
  const cacheKey = toCacheKey(hash)
  const find = async () => {
    // The TTL starts before the query, because the key might be revoked while the query runs.
    const start = performance.now()
    return { start, found: await findKey(hash, pool) }
  }
  const search = (known.has(cacheKey) ? find() : unknownKeys.run(find))
    .then(({ start, found }) => {
      if (found) known.add(cacheKey)
      else known.delete(cacheKey)
      // `evictPrincipal` drops running lookups, because they might have read the key's earlier state. Their results are not cached.
      if (found && pending.get(cacheKey) === search) {
        const ttl = Math.min(TTL_MS, found.expiresInMs ?? TTL_MS)
        verified.set(cacheKey, found.principal, { ttl: Math.max(1, ttl), start })
      }
      return found?.principal
    })
    .finally(() => {
      if (pending.get(cacheKey) === search) pending.delete(cacheKey)
    })
  pending.set(cacheKey, search)
  return search
}

const keyPool = () => database('auth')

/**
 * Returns the principal of an API key, or undefined if the key is malformed, unknown, revoked or expired. Clients must not learn which of
 * these applies.
 *
 * @param openPool returns the connection pool for looking up a known key
 * @param onUnknown called before looking up a key that this process does not know; if it rejects, `verifyKey` does too
 * @throws {UnavailableError} if the key is not cached and the database does not respond
 */
export async function verifyKey(key: string, openPool = keyPool, onUnknown = async () => {}): Promise<Principal | undefined> {
  const cache = principals()
  if (!isWellFormedKey(key)) {
    await onUnknown()
    return undefined
  }
  const hash = hashKey(key)
  const cacheKey = toCacheKey(hash)
  const found = cache.verified.get(cacheKey) ?? cache.pending.get(cacheKey)
  if (found) return found
  const isKnown = cache.known.has(cacheKey)
  if (!isKnown) await onUnknown()
  return cache.pending.get(cacheKey) ?? lookUp(cache, hash, isKnown ? openPool() : keyPool())
}

/** Removes a key from the cache, so that this server looks it up again. Call this after revoking, rotating, pausing or resuming a key. */
export const evictPrincipal = (keyId: string): void => publish({ evictedId: keyId })

function evict(keyId: string): void {
  const { verified, pending } = principals()
  for (const [cacheKey, principal] of verified.entries()) if (principal.keyId === keyId) verified.delete(cacheKey)
  // The key IDs of these lookups are not known yet, so none of the lookups is cached or shared.
  pending.clear()
}

/** Records that a key was used. See `touch`. */
export const touchKey = (keyId: string, onError: (error: unknown) => void): void =>
  touch(keyId, () => sql`update ${apiKeys} set last_used_at = now() where ${apiKeys.id} = ${keyId}`, onError)
