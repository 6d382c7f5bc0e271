/** Authenticates requests by the API key in the Authorization header (docs/spec.md, "Authentication"). */
import type { Database } from '@/db/client'
import type { Scope } from '../accounts/scopes'
import { hasScope, type Principal, touchKey, verifyKey } from '../accounts/verify-key'
import { ApiError } from '../core/errors'
import { describeError, log } from '../core/log'
import type { ApiRequest, RequestHeaders } from './exchange'
import { limitUnknownKeys } from './failed-keys'

const CHALLENGE = { 'WWW-Authenticate': 'Bearer' }

type Caller = Pick<Principal, 'keyId' | 'sellerId'>

/** The caller of each request until it is logged. On `globalThis`, because in development, handlers run in Next's copy of this module. */
const holder = globalThis as typeof globalThis & { checkoutDeskCallers?: Map<string, Caller> }
/** The maximum number of recorded callers. The oldest are dropped, because the entry of a client that disconnects may never be taken. */
const MAX_CALLERS = 5_000

/** Starts recording callers for the request log. Next's own server does not call this, and logs no requests. */
export function trackCallers(): void {
  holder.checkoutDeskCallers ??= new Map()
}

function recordCaller(requestId: string, caller: Caller): void {
  const callers = holder.checkoutDeskCallers
  if (!callers) return
  for (const oldest of callers.keys()) {
    if (callers.size < MAX_CALLERS) break
    callers.delete(oldest)
  }
  callers.set(requestId, caller)
}

/** Removes and returns the recorded caller of a request; undefined if its key was not valid. */
export function takeCaller(requestId: string): Caller | undefined {
  const caller = holder.checkoutDeskCallers?.get(requestId)
  holder.checkoutDeskCallers?.delete(requestId)
  return caller
}

/** Returns the API key of a request. @throws {ApiError} `key_missing` */
function readKey(headers: RequestHeaders): string {
  // RFC 9110, 11.1: the scheme's name is case-insensitive.
  const [, key] = /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '') ?? []
  if (key !== undefined) return key
  const message = 'The API key is missing. Send it in the header `Authorization: Bearer <key>`.'
  throw new ApiError('key_missing', message, 'Authorization', CHALLENGE)
}

/**
 * Verifies the API key of a request, records that the key was used, and returns the key's principal.
 *
 * @param scope the scope that the key needs; if omitted, any valid key is accepted
 * @param openPool returns the connection pool for looking up the key
 * @throws {ApiError} `key_missing`, `key_invalid` (the same for unknown, revoked and expired keys), `key_paused`, `scope_missing`,
 *   or `rate_limited` for an unknown key if the client's address has sent too many of them
 */
export async function authenticate(request: ApiRequest, scope?: Scope, openPool?: () => Database): Promise<Principal> {
  const principal = await verifyKey(readKey(request.headers), openPool, () => limitUnknownKeys(request.address))
  if (!principal) {
    const message = 'This API key is not valid: it is mistyped, unknown, expired or revoked. Check the key or create a new one.'
    throw new ApiError('key_invalid', message, 'Authorization', CHALLENGE)
  }
  recordCaller(request.id, principal)
  const { keyId, scopes, pausedUntil } = principal
  if (pausedUntil !== null) {
    const message = `This API key is paused until ${pausedUntil} because most of the ticket codes it sent were unknown. An owner can resume it under Settings → API keys.`
    throw new ApiError('key_paused', message)
  }
  if (scope && !hasScope(scopes, scope))
    throw new ApiError('scope_missing', `This API key lacks the scope '${scope}'. Use a key that has it.`)
  touchKey(keyId, (error) => log().warn({ key: keyId, error: describeError(error) }, 'could not record the last use of a key'))
  return principal
}
