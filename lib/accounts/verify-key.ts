/** Verifies API keys, and caches each verified key for at most one second: a busy key costs the database one look-up a second. */
import { sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import { type Database, database } from '@/db/client'
import { getPool } from '@/db/pools'
import { apiKeys } from '@/db/schema'
import { hashKey, isWellFormedKey } from './key-format'
import type { Scope } from './scopes'

/** The key that a request was sent with, and the seller it belongs to. */
export type Principal = { keyId: string; sellerId: string; scopes: readonly string[] }

/** Checks whether a key has a scope; `full` includes every scope. */
export const hasScope = (scopes: readonly string[], scope: Scope) => scopes.includes('full') || scopes.includes(scope)

/** How long a verified key is cached, in milliseconds: the longest that a key revoked on another server still works here. */
const TTL_MS = 1_000
const MAX_KEYS = 10_000

type PrincipalCache = {
  verified: LRUCache<string, Principal>
  /** Look-ups under way: parallel requests with one key share one. */
  pending: Map<string, Promise<Principal | undefined>>
}

/** On `globalThis`, because Next's bundle (which revokes keys) and the server (which checks them) each have a copy of this module. */
const holder = globalThis as typeof globalThis & { checkoutDeskPrincipals?: PrincipalCache }

function principals(): PrincipalCache {
  holder.checkoutDeskPrincipals ??= { verified: new LRUCache({ max: MAX_KEYS, ttl: TTL_MS, ttlResolution: 0 }), pending: new Map() }
  return holder.checkoutDeskPrincipals
}

type VerifiedKey = {
  principal: Principal
  /** Milliseconds until the key expires; null if it never does. */
  expiresInMs: number | null
}

/** Reads a key from the database; undefined if it is unknown, revoked or expired. */
async function findKey(hash: Buffer, pool: Database): Promise<VerifiedKey | undefined> {
  const [found] = await pool.use(({ rows }) =>
    rows<Principal & { expiresInMs: number | null }>(sql`
      select ${apiKeys.id} as "keyId", ${apiKeys.sellerId} as "sellerId", ${apiKeys.scopes} as scopes,
        (extract(epoch from ${apiKeys.expiresAt} - now()) * 1000)::float8 as "expiresInMs"
      from ${apiKeys}
      where ${apiKeys.hash} = ${hash} and ${apiKeys.revokedAt} is null
        and (${apiKeys.expiresAt} is null or ${apiKeys.expiresAt} > now())`),
  )
  if (!found) return undefined
  const { expiresInMs, ...principal } = found
  return { principal, expiresInMs }
}

function lookUp({ verified, pending }: PrincipalCache, hash: Buffer, pool: Database): Promise<Principal | undefined> {
  const name = hash.toString('base64')
  // The TTL counts from before the query's snapshot.
  const start = performance.now()
  const search = findKey(hash, pool)
    .then((found) => {
      // A look-up that `evictPrincipal` has dropped may have read the key as it was before.
      if (found && pending.get(name) === search) {
        const ttl = Math.min(TTL_MS, found.expiresInMs ?? TTL_MS)
        verified.set(name, found.principal, { ttl: Math.max(1, ttl), start })
      }
      return found?.principal
    })
    .finally(() => {
      if (pending.get(name) === search) pending.delete(name)
    })
  pending.set(name, search)
  return search
}

/**
 * Returns the principal of an API key, or undefined if the key is unknown, revoked or expired: callers must not learn which.
 *
 * @param pool the connections to look the key up on
 * @throws {UnavailableError} if the key is not cached and the database does not answer
 */
export async function verifyKey(key: string, pool: Database = getPool('keys')): Promise<Principal | undefined> {
  if (!isWellFormedKey(key)) return undefined
  const cache = principals()
  const hash = hashKey(key)
  const name = hash.toString('base64')
  return cache.verified.get(name) ?? cache.pending.get(name) ?? lookUp(cache, hash, pool)
}

/** Drops a revoked or rotated key from the cache, so that this process looks it up again. @param keyId the key's id */
export function evictPrincipal(keyId: string): void {
  const { verified, pending } = principals()
  for (const [name, principal] of verified.entries()) if (principal.keyId === keyId) verified.delete(name)
  // Which keys these look-ups are for is not known yet, so none of them is cached or shared.
  pending.clear()
}

const TOUCH_MS = 60_000
const touched = new LRUCache<string, true>({ max: MAX_KEYS, ttl: TOUCH_MS })

/**
 * Records that a key was used, at most once a minute. Returns at once: the write is not part of the request.
 *
 * @param onError called if the write fails, which may be after the request was answered
 */
export function touchKey(keyId: string, onError: (error: unknown) => void): void {
  if (touched.has(keyId)) return
  touched.set(keyId, true)
  database()
    .use(({ rows }) => rows(sql`update ${apiKeys} set last_used_at = now() where ${apiKeys.id} = ${keyId}`))
    .catch(onError)
}
