/** The parts that the document's operations have in common. */
import type { Scope } from '../../accounts/scopes'
import type { ErrorCode } from '../../core/errors'
import { refTo } from './schemas'
import type { ResponseObject } from './types'

/** The errors of every operation that needs an API key. */
export const ALWAYS: ErrorCode[] = [
  'key_missing',
  'key_invalid',
  'key_paused',
  'scope_missing',
  'rate_limited',
  'headers_too_large',
  'internal',
  'unavailable',
]

export const security = (scope: Scope) => [{ apiKey: [scope] }]

export const json = (name: string, examples?: Record<string, { summary: string; value: unknown }>): ResponseObject['content'] => ({
  'application/json': { schema: refTo(name), ...(examples ? { examples } : {}) },
})
