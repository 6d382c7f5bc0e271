/** The API's errors: their codes and statuses, and the body of an error response. */
import { STATUS_CODES } from 'node:http'
import { isUnavailable } from '@/db/unavailable'

// Not specified: error status codes and the shape of an error.
export const ERROR_STATUSES = {
  parameter_invalid: 400,
  parameter_unknown: 400,
  parameter_repeated: 400,
  parameters_exclusive: 400,
  resource_missing: 400,
  body_invalid: 400,
  path_invalid: 400,
  key_missing: 401,
  key_invalid: 401,
  key_paused: 403,
  scope_missing: 403,
  route_not_found: 404,
  ticket_not_found: 404,
  record_not_found: 404,
  method_not_allowed: 405,
  code_taken: 409,
  endpoint_disabled: 409,
  precondition_failed: 412,
  body_too_large: 413,
  media_type_unsupported: 415,
  idempotency_mismatch: 422,
  rate_limited: 429,
  headers_too_large: 431,
  internal: 500,
  unavailable: 503,
} as const

export type ErrorCode = keyof typeof ERROR_STATUSES

/** The additional headers of an error response, such as Retry-After or Allow. */
type ErrorHeaders = Record<string, string>

export class ApiError extends Error {
  override name = 'ApiError'

  /**
   * @param code the machine-readable error code
   * @param message a human-readable message that says what is wrong and what to do
   * @param param the invalid parameter, header or body member, if there is one
   * @param headers the additional headers of the response
   */
  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly param?: string,
    readonly headers: ErrorHeaders = {},
  ) {
    super(message)
  }

  get status(): number {
    return ERROR_STATUSES[this.code]
  }
}

/** Returns the body of an error response as JSON. Its `error` is the reason phrase of the status. */
export function errorBody(error: ApiError, requestId: string): string {
  const { code, message, param } = error
  return JSON.stringify({ error: STATUS_CODES[ERROR_STATUSES[code]], message, code, ...(param === undefined ? {} : { param }), requestId })
}

/** Converts any thrown value to an API error that does not reveal internals. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (isUnavailable(error)) {
    const message =
      'The service is temporarily unavailable. A change that was not confirmed may or may not have been made. Try again in a moment.'
    return new ApiError('unavailable', message, undefined, { 'Retry-After': '1' })
  }
  return new ApiError('internal', 'An internal error occurred. Try again; if the error persists, report the request ID.')
}
