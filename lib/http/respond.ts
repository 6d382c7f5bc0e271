/** What all responses of the API share: the request ID, the headers, and the body of an error. */
import { randomFillSync } from 'node:crypto'
import { unavailableReason } from '@/db/unavailable'
import { errorBody, toApiError } from '../core/errors'
import { describeError, log } from '../core/log'
import { type Reply, toResponse } from './reply'

const ID_BYTES = 12
/** Random bytes for 256 IDs, because generating them all costs as much as generating one. */
const pool = Buffer.alloc(ID_BYTES * 256)
let used = pool.length

/** Returns the ID for a response and its log line. */
export function newRequestId(): string {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += ID_BYTES
  return `req_${pool.toString('hex', used - ID_BYTES, used)}`
}

// Spec silent: the headers of responses. Records are personal data, so caches must not store them.
export const headersFor = (requestId: string) => ({
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'no-store',
  'Request-Id': requestId,
})

/** Returns the response to a request that failed, and logs the error unless the client caused it. */
export function errorReply(thrown: unknown, requestId: string, headers: Record<string, string> = {}): Reply {
  const error = toApiError(thrown)
  if (error.code === 'internal') log().error({ requestId, error: describeError(thrown) }, error.code)
  else if (error.code === 'unavailable') {
    const cause = describeError((thrown as Error).cause ?? thrown)
    log().warn({ requestId, reason: unavailableReason(thrown), cause }, error.code)
  }
  return {
    status: error.status,
    headers: { ...headersFor(requestId), ...headers, ...error.headers },
    body: errorBody(error, requestId),
  }
}

/** Returns the same as a platform `Response`, for handlers that only Next calls. */
export const answerError = (thrown: unknown, requestId: string): Response => toResponse(errorReply(thrown, requestId))
