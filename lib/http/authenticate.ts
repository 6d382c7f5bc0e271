/** Authenticates requests by their API key (docs/spec.md, "Authentication"), and limits requests without a valid one. */
import { LRUCache } from 'lru-cache'
import type { Database } from '@/db/client'
import { reportLoad } from '@/db/semaphore'
import type { Scope } from '../accounts/scopes'
import { hasScope, type Principal, touchKey, verifyKey } from '../accounts/verify-key'
import { ApiError } from '../core/errors'
import { log } from '../core/log'
import type { ApiRequest, RequestHeaders } from './exchange'
import { retryIn } from './rate-limit'

export const CHALLENGE = { 'WWW-Authenticate': 'Bearer' }

type Caller = Pick<Principal, 'keyId' | 'sellerId'>

/** The caller of each request until it is logged. On `globalThis`, because in development, handlers run in Next's copy of this module. */
const holder = globalThis as typeof globalThis & { checkoutDeskCallers?: LRUCache<string, Caller> }
/** The maximum number of recorded callers. The oldest are dropped, because the entry of a client that disconnects may never be taken. */
const MAX_CALLERS = 5_000

/** Starts recording callers for the request log. Next's own server does not call this, and logs no requests. */
export function trackCallers(): void {
  holder.checkoutDeskCallers ??= new LRUCache({ max: MAX_CALLERS })
}

/** Removes and returns the recorded caller of a request; undefined if its key was not valid. */
export function takeCaller(requestId: string): Caller | undefined {
  const caller = holder.checkoutDeskCallers?.get(requestId)
  holder.checkoutDeskCallers?.delete(requestId)
  return caller
}

/**
 * The maximum number of requests with no key or an unknown one, per address: more than a client with a revoked key usually sends, but
 * little work for the server.
 */
const MAX_UNKNOWN_PER_MINUTE = 300
const MINUTE_MS = 60_000
const MAX_ADDRESSES = 10_000
/** The number of these requests by address, in a window that starts with the first of them. */
const counts = new LRUCache<string, number>({ max: MAX_ADDRESSES, ttl: MINUTE_MS, noUpdateTTL: true })
let refused = 0

reportLoad('failed_keys', () => ({ active: 0, waiting: 0, refused }))

/**
 * Counts a request without a key, or with one that this server does not know. An unknown key is counted before it is looked up, because
 * nearly all of them are mistyped, revoked or forged. Above the limit, an address can use only keys that the server already knows.
 *
 * @param address undefined under Next's own server, which has no such limit
 * @throws {ApiError} `rate_limited` if the address has sent too many such requests
 */
async function limitUnknownKeys(address: string | undefined): Promise<void> {
  if (address === undefined) return
  const count = (counts.get(address) ?? 0) + 1
  counts.set(address, count)
  if (count <= MAX_UNKNOWN_PER_MINUTE) return
  refused += 1
  const seconds = Math.max(1, Math.ceil(counts.getRemainingTTL(address) / 1000))
  const message = `Rate limit exceeded: ${MAX_UNKNOWN_PER_MINUTE} requests without a valid API key per minute from this address. Check the key. ${retryIn(seconds)}`
  throw new ApiError('rate_limited', message, 'Authorization', { 'Retry-After': String(seconds) })
}

/** Returns the token in the Authorization header, or undefined if there is none. */
export const readBearerToken = (headers: RequestHeaders): string | undefined =>
  // RFC 9110, 11.1: the scheme's name is case-insensitive.
  /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1]

/** Returns the API key of a request. @throws {ApiError} `key_missing`, or the same as `limitUnknownKeys` */
async function readKey({ headers, address }: ApiRequest): Promise<string> {
  const key = readBearerToken(headers)
  if (key !== undefined) return key
  await limitUnknownKeys(address)
  const message = 'The API key is missing. Send it in the header `Authorization: Bearer <key>`.'
  throw new ApiError('key_missing', message, 'Authorization', CHALLENGE)
}

/**
 * Verifies the API key of a request, records that the key was used, and returns the key's principal, which may be paused or lack the scope.
 *
 * @param openPool returns the connection pool for looking up the key
 * @throws {ApiError} `key_missing`, `key_invalid` (the same for unknown, revoked and expired keys), or, for a missing or unknown key, the
 *   same as `limitUnknownKeys`
 */
export async function authenticate(request: ApiRequest, openPool?: () => Database): Promise<Principal> {
  const principal = await verifyKey(await readKey(request), openPool, () => limitUnknownKeys(request.address))
  if (!principal) {
    const message = 'This API key is not valid: it is mistyped, unknown, expired or revoked. Check the key or create a new one.'
    throw new ApiError('key_invalid', message, 'Authorization', CHALLENGE)
  }
  holder.checkoutDeskCallers?.set(request.id, principal)
  const { keyId } = principal
  touchKey(keyId, (error) => log().warn({ key: keyId, error }, 'could not record the last use of a key'))
  return principal
}

/**
 * Checks that a key is not paused and has the scope of an operation.
 *
 * @param scope the scope that the key needs; if omitted, any key that is not paused is accepted
 * @throws {ApiError} `key_paused` or `scope_missing`
 */
export function assertAllowed({ scopes, pausedUntil }: Principal, scope?: Scope): void {
  if (pausedUntil !== null) {
    const message = `This API key is paused until ${pausedUntil} because most of the ticket codes it sent were unknown. An owner can resume it under Settings → API keys.`
    throw new ApiError('key_paused', message)
  }
  if (scope && !hasScope(scopes, scope))
    throw new ApiError('scope_missing', `This API key lacks the scope '${scope}'. Use a key that has it.`)
}
