/** What every response of the API has in common: its id, its headers, and the body of an error. */
import { randomFillSync } from 'node:crypto'
import { unavailableReason } from '@/db/unavailable'
import { errorBody, toApiError } from '../core/errors'
import { describeError, log } from '../core/log'

let kind: typeof Response = Response

/** For this copy of the module alone: Next's bundle has one of its own, and keeps the platform's. */
export function respondWith(other: typeof Response): void {
  kind = other
}

/** @param headers a plain object, which is the fastest to write */
export const respond = (body: string | Uint8Array<ArrayBuffer> | null, status: number, headers: Record<string, string>): Response =>
  new kind(body, { status, headers })

const ID_BYTES = 12
/** Random bytes for 256 ids: one call for all of them costs as much as a call for one. */
const pool = Buffer.alloc(ID_BYTES * 256)
let used = pool.length

/** Returns the id that a response carries and that its log line can be found by. */
export function newRequestId(): string {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += ID_BYTES
  return `req_${pool.toString('hex', used - ID_BYTES, used)}`
}

// Spec silent: the headers of responses. Records are personal data: no cache may keep them.
export const headersFor = (requestId: string) => ({
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'no-store',
  'Request-Id': requestId,
})

/** Returns the response to a request that failed, and logs the error unless the client caused it. */
export function answerError(thrown: unknown, requestId: string, headers: Record<string, string> = {}): Response {
  const error = toApiError(thrown)
  if (error.code === 'internal') log().error({ requestId, error: describeError(thrown) }, error.code)
  else if (error.code === 'unavailable') {
    const cause = describeError((thrown as Error).cause ?? thrown)
    log().warn({ requestId, reason: unavailableReason(thrown), cause }, error.code)
  }
  return respond(errorBody(error, requestId), error.status, { ...headersFor(requestId), ...headers, ...error.headers })
}
