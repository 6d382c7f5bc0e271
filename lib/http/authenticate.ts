/** Who sends a request: the Bearer key of its Authorization header, and nothing else (docs/spec.md, "Authentication"). */
import type { Database } from '@/db/client'
import { hasScope, type Scope } from '../accounts/scopes'
import { type Principal, verifyKey } from '../accounts/verify-key'
import { ApiError } from '../core/errors'

const CHALLENGE = { 'WWW-Authenticate': 'Bearer' }

/** The key that a request was sent with. @throws {ApiError} `key_missing` */
export function bearerOf(headers: Headers): string {
  // RFC 9110, 11.1: the scheme's name is case-insensitive.
  const [, key] = /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '') ?? []
  if (key !== undefined) return key
  throw new ApiError('key_missing', 'Send an API key in the header `Authorization: Bearer <key>`.', 'Authorization', CHALLENGE)
}

/** Who a key stands for. @throws {ApiError} `key_invalid` for a key that is unknown, revoked or expired alike */
export async function authenticate(key: string, pool?: Database): Promise<Principal> {
  const principal = await verifyKey(key, pool)
  if (principal) return principal
  const message = 'This API key does not work: it is mistyped, unknown, expired or revoked. Check it, or make a new one.'
  throw new ApiError('key_invalid', message, 'Authorization', CHALLENGE)
}

/** @throws {ApiError} `scope_missing` */
export function requireScope({ scopes }: Principal, scope: Scope): void {
  if (!hasScope(scopes, scope)) throw new ApiError('scope_missing', `This API key lacks the scope ${scope}. Use a key that has it.`)
}
