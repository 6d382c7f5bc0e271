/** Authenticates requests by the Bearer key of the Authorization header, and by nothing else (docs/spec.md, "Authentication"). */
import type { Database } from '@/db/client'
import { hasScope, type Scope } from '../accounts/scopes'
import { type Principal, touchKey, verifyKey } from '../accounts/verify-key'
import { ApiError } from '../core/errors'
import { describeError, log } from '../core/log'
import { noteCaller } from './observe'
import type { RequestHeaders } from './reply'

const CHALLENGE = { 'WWW-Authenticate': 'Bearer' }

/** @throws {ApiError} `key_missing` */
function readKey(headers: RequestHeaders): string {
  // RFC 9110, 11.1: the scheme's name is case-insensitive.
  const [, key] = /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '') ?? []
  if (key !== undefined) return key
  throw new ApiError('key_missing', 'Send an API key in the header `Authorization: Bearer <key>`.', 'Authorization', CHALLENGE)
}

/**
 * Returns the principal of a request, and records that its key was used.
 *
 * @param requestId for the request's log line
 * @param scope the scope that the key needs
 * @param pool the connections to look the key up on
 * @throws {ApiError} `key_missing`, `key_invalid` (for an unknown, revoked or expired key alike) or `scope_missing`
 */
export async function authenticate(headers: RequestHeaders, requestId: string, scope?: Scope, pool?: Database): Promise<Principal> {
  const principal = await verifyKey(readKey(headers), pool)
  if (!principal) {
    const message = 'This API key is not valid: it is mistyped, unknown, expired or revoked. Check the key, or create a new one.'
    throw new ApiError('key_invalid', message, 'Authorization', CHALLENGE)
  }
  noteCaller(requestId, principal)
  const { keyId, scopes } = principal
  if (scope && !hasScope(scopes, scope))
    throw new ApiError('scope_missing', `This API key lacks the scope '${scope}'. Use a key that has it.`)
  touchKey(keyId, (error) => log().warn({ key: keyId, error: describeError(error) }, 'last use of a key not recorded'))
  return principal
}
