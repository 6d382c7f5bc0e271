/** Checks the responses to hostile requests. */
import { ERROR_STATUSES } from '@/lib/core/errors'
import { findDifferences } from '@/testing/openapi'
import type { RawResponse } from './raw'
import type { GeneratedRequest } from './requests'

/** Describes what is wrong with a response, or returns undefined. @param isHead whether it is the response to a HEAD request */
export function findProblem({ status, headers, body }: RawResponse, isHead = false): string | undefined {
  const allowed = new Set<number>([200, 201, 204, ...Object.values(ERROR_STATUSES)])
  if (status >= 500) return `a server error: ${status}`
  if (!allowed.has(status)) return `an undocumented status: ${status}`
  if (status === 204) return undefined
  if (headers['content-type'] !== 'application/json; charset=utf-8') return `the media type ${headers['content-type']}`
  if (!headers['request-id']?.startsWith('req_')) return 'no request ID'
  if (isHead) return undefined
  let json: Record<string, unknown>
  try {
    json = JSON.parse(body)
  } catch {
    return `not JSON: ${body.slice(0, 100)}`
  }
  if (status < 300) return undefined
  const { error, message, code, param, requestId, ...rest } = json
  if (typeof error !== 'string' || typeof message !== 'string' || message.length < 15)
    return 'no error, or no message of at least 15 characters'
  if ((ERROR_STATUSES as Record<string, number>)[String(code)] !== status) return `the code ${code} with the status ${status}`
  if (param !== undefined && typeof param !== 'string') return 'a param that is not a string'
  // A replay repeats the first response byte for byte.
  if (requestId !== headers['request-id'] && headers['idempotent-replayed'] !== 'true') return 'a different request ID in the body'
  return Object.keys(rest).length > 0 ? `unknown members ${Object.keys(rest)}` : undefined
}

/** Describes how a response differs from the OpenAPI document, or returns undefined. */
export function findMismatch({ method, target }: GeneratedRequest, { status, headers, body }: RawResponse): string | undefined {
  // Skip paths with dot segments, because parsing the URL would resolve them to the path of another operation.
  const isPlain = new URL(target, 'http://x').pathname === target.replace(/\?.*$/s, '')
  if (!isPlain) return undefined
  return findDifferences({ method, url: target, status, headers: new Headers(headers), text: body })[0]
}
