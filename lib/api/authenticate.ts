/** Who sends a request: the Bearer key of its Authorization header, and nothing else (docs/spec.md, "Authentication"). */
import type { Database } from '@/db/client'
import { findPrincipal, type Principal } from '../auth/api-keys'
import { hasScope, type Scope } from '../auth/scopes'
import { ApiError } from '../errors'

const CHALLENGE = { 'WWW-Authenticate': 'Bearer' }

/** @throws {ApiError} `key_missing`, or `key_invalid` for a key that is unknown, revoked or expired alike */
export async function authenticate(headers: Headers, pool?: Database): Promise<Principal> {
  const given = headers.get('authorization')
  // RFC 9110, 11.1: the scheme's name is case-insensitive.
  const [, key] = /^Bearer +(\S+)$/i.exec(given ?? '') ?? []
  if (key === undefined) {
    throw new ApiError('key_missing', 'Send an API key in the header `Authorization: Bearer <key>`.', 'Authorization', CHALLENGE)
  }
  const principal = await findPrincipal(key, pool)
  if (!principal) {
    const message = 'This API key does not work: it is mistyped, unknown, expired or revoked. Check it, or make a new one.'
    throw new ApiError('key_invalid', message, 'Authorization', CHALLENGE)
  }
  return principal
}

/** @throws {ApiError} `scope_missing` */
export function requireScope({ scopes }: Principal, scope: Scope): void {
  if (!hasScope(scopes, scope)) throw new ApiError('scope_missing', `This API key lacks the scope ${scope}. Use a key that has it.`)
}
