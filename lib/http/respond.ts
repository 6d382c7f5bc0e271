/** Builds the responses to failed requests, and logs failures that clients did not cause. */
import { unavailableReason } from '@/db/unavailable'
import { errorBody, toApiError } from '../core/errors'
import { log } from '../core/log'
import { headersFor, newRequestId, type Reply, toResponse } from './exchange'

/** Logs an error that the client did not cause. @param request the ID of the request, or the pattern of its path */
export function logFailure(thrown: unknown, request: { requestId: string } | { route: string }): void {
  const reason = unavailableReason(thrown)
  if (reason === undefined) log().error({ ...request, error: thrown }, 'internal')
  else log().warn({ ...request, reason, cause: (thrown as Error).cause ?? thrown }, 'unavailable')
}

/**
 * Returns the response to a failed request, and logs the error unless the client caused it.
 *
 * @param headers headers to add, such as the rate limit's
 */
export function errorReply(thrown: unknown, requestId: string, headers: Record<string, string> = {}): Reply & { body: string } {
  const error = toApiError(thrown)
  if (error.status >= 500) logFailure(thrown, { requestId })
  return {
    status: error.status,
    headers: { ...headersFor(requestId), ...headers, ...error.headers },
    body: errorBody(error, requestId),
  }
}

/** Returns the same response as `errorReply`, as a Fetch API `Response`, for route handlers that return one. */
export const errorResponse = (thrown: unknown, requestId = newRequestId()): Response => toResponse(errorReply(thrown, requestId))
