/** The response to a request that failed. */
import { unavailableReason } from '@/db/unavailable'
import { errorBody, toApiError } from '../core/errors'
import { describeError, log } from '../core/log'
import { headersFor, newRequestId, type Reply, toResponse } from './exchange'

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
export const answerError = (thrown: unknown, requestId = newRequestId()): Response => toResponse(errorReply(thrown, requestId))
