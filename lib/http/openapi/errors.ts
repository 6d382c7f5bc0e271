/** The errors in the API reference: descriptions, examples, and the error responses of an operation. */
import { STATUS_CODES } from 'node:http'
import { LIST_OPERATIONS } from '../../catalog'
import { ERROR_STATUSES, type ErrorCode } from '../../core/errors'
import { refTo } from './schemas'
import type { Example, Header, Reference, ResponseObject } from './types'

type ErrorDoc = {
  /** The meaning of the code. */
  meaning: string
  /** An example of the message, as the server sends it. */
  message: string
  /** The parameter, header or body member in the example. */
  param?: string
}

/** The errors, in the order of the guide. */
export const ERROR_DOCS: Record<ErrorCode, ErrorDoc> = {
  parameter_invalid: {
    meaning: 'A parameter or header is not valid.',
    message: 'limit must be a whole number from 1 to 100.',
    param: 'limit',
  },
  parameter_unknown: {
    meaning: 'The operation does not have this parameter.',
    message: "Unknown parameter 'stauts'. Use limit, starting_after, ending_before, search, pageId, status.",
    param: 'stauts',
  },
  parameter_repeated: {
    meaning: 'The parameter was sent more than once.',
    message: "The parameter 'limit' was sent more than once. Send it once.",
    param: 'limit',
  },
  parameters_exclusive: {
    meaning: 'Two mutually exclusive parameters were sent, such as `starting_after` and `ending_before`.',
    message: 'Send either starting_after or ending_before, not both.',
    param: 'ending_before',
  },
  resource_missing: {
    meaning: 'No record has the ID sent as the cursor.',
    message: "No payment with id '00000000000000000000000a'. Use the id of the first or last record of a previous response.",
    param: 'starting_after',
  },
  body_invalid: {
    meaning: 'The body is not valid JSON or does not match the schema.',
    message: 'checkIn must be a boolean, not a string.',
    param: 'checkIn',
  },
  path_invalid: {
    meaning:
      'The path is not valid percent-encoded UTF-8, or the request is not valid HTTP, for example because its `Host` header is invalid.',
    message: 'The path is not valid percent-encoded UTF-8. Percent-encode the values in it, and a literal % as %25.',
  },
  key_missing: {
    meaning: 'The `Authorization` header has no API key.',
    message: 'The API key is missing. Send it in the header `Authorization: Bearer <key>`.',
    param: 'Authorization',
  },
  key_invalid: {
    meaning: 'The API key is mistyped, unknown, revoked or expired.',
    message: 'This API key is not valid: it is mistyped, unknown, expired or revoked. Check the key or create a new one.',
    param: 'Authorization',
  },
  key_paused: {
    meaning:
      'The API key is paused for up to an hour, because in the last hour it sent more than 600 unknown ticket codes, and more unknown codes than known ones. An owner can resume it in the dashboard.',
    message:
      'This API key is paused until 2026-11-21T21:30:00.000Z because most of the ticket codes it sent were unknown. An owner can resume it under Settings → API keys.',
  },
  scope_missing: {
    meaning: 'The API key does not have the scope that the operation requires.',
    message: "This API key lacks the scope 'payments:read'. Use a key that has it.",
  },
  route_not_found: {
    meaning: 'No operation exists at this path.',
    message: `No operation handles GET at this path. The list operations are ${LIST_OPERATIONS}. See /docs for all operations.`,
  },
  ticket_not_found: {
    meaning: 'No ticket has this code.',
    message: 'No ticket with this code. Scan the code again, or find the booking by the customer’s email address.',
    param: 'qrCode',
  },
  record_not_found: {
    meaning: 'No record has this ID.',
    message: "No payment with id '00000000000000000000000a'. Check the id, or list the payments to find it.",
    param: 'id',
  },
  method_not_allowed: {
    meaning: 'The path does not support this method. The `Allow` header lists the supported methods.',
    message: 'The method DELETE is not allowed for this path. Use GET, HEAD, OPTIONS.',
  },
  code_taken: {
    meaning: 'Another record, which has not been deleted, already has this code.',
    message: 'Another coupon already has the code SUMMER. Use a different code, or delete that coupon with PATCH and {"deleted": true}.',
    param: 'code',
  },
  endpoint_disabled: {
    meaning: 'The webhook endpoint is disabled, so no event can be sent to it.',
    message: 'The webhook endpoint is disabled. Enable it with PATCH and {"enabled": true}, then try again.',
  },
  precondition_failed: {
    meaning: 'The record has changed since the version whose `ETag` was sent in `If-Match`.',
    message: 'The record has changed since it was read. Read it again, apply the change to the new version, and send its ETag.',
    param: 'If-Match',
  },
  body_too_large: { meaning: 'The body is larger than 64 KiB.', message: 'The body is larger than 64 KiB. Send a smaller one.' },
  media_type_unsupported: {
    meaning: 'The `Content-Type` of the body is not JSON in UTF-8, or the body is compressed.',
    message: 'The body is compressed, or not declared as JSON. Send uncompressed JSON with the header `Content-Type: application/json`.',
    param: 'Content-Type',
  },
  idempotency_mismatch: {
    meaning: 'The `Idempotency-Key` was already used with a different request.',
    message:
      'This Idempotency-Key was already used with a different ticket code or body. Use a new key for each scan; reuse a key only to retry the same request.',
    param: 'Idempotency-Key',
  },
  rate_limited: {
    meaning:
      'The API key exceeded a rate limit, or the client’s address sent too many requests without a valid key or for the OpenAPI document. Retry after the number of seconds in `Retry-After`.',
    message: 'Rate limit exceeded: 1,000 requests per minute for this key. Retry in 42 seconds.',
  },
  headers_too_large: {
    meaning: 'The request headers are larger than 16 KiB.',
    message: 'The request headers exceed 16 KiB. Send fewer or shorter headers.',
  },
  internal: {
    meaning: 'An error occurred on the server. Retry the request; if the error persists, report the `requestId`.',
    message: 'An internal error occurred. Try again; if the error persists, report the request ID.',
  },
  unavailable: {
    meaning:
      'The server is overloaded or can’t reach its database. Retry after the number of seconds in `Retry-After`. A validation may have been processed even if you received no response; repeat it with the same `Idempotency-Key`.',
    message:
      'The service is temporarily unavailable. A change that was not confirmed may or may not have been made. Try again in a moment.',
  },
}

export const HEADERS: Record<string, Header> = {
  'Request-Id': {
    description: 'ID of the request, as in the request log and the server log.',
    required: true,
    schema: { type: 'string', pattern: '^req_[0-9a-z]+$' },
  },
  'RateLimit-Limit': {
    description: 'Maximum number of requests per minute for the key. Absent if the server has no limit.',
    schema: { type: 'integer', minimum: 1 },
  },
  'RateLimit-Remaining': { description: 'Number of requests left in the current minute.', schema: { type: 'integer', minimum: 0 } },
  'RateLimit-Reset': {
    description: 'Seconds until the limit resets.',
    schema: { type: 'integer', minimum: 0 },
  },
  'Retry-After': { description: 'Seconds to wait before a retry.', required: true, schema: { type: 'integer', minimum: 0 } },
  'WWW-Authenticate': { description: 'Authentication scheme: `Bearer`.', required: true, schema: { type: 'string', enum: ['Bearer'] } },
  ETag: {
    description: 'Version of the record. Send it in `If-Match` to change the record only if it has not changed since you read it.',
    schema: { type: 'string', pattern: '^"[0-9A-Za-z_-]{27}"$' },
  },
  'Idempotent-Replayed': {
    description: '`true` if this is the stored response to an earlier request with the same `Idempotency-Key`.',
    schema: { type: 'string', enum: ['true'] },
  },
}

/** Returns a reference to a header of the document. */
export const header = (name: string): Reference => ({ $ref: `#/components/headers/${name}` })
export const RATE_HEADERS = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset']

/** The headers of error responses, in addition to Request-Id. */
const ERROR_HEADERS: Record<number, string[]> = {
  400: RATE_HEADERS,
  401: ['WWW-Authenticate'],
  403: RATE_HEADERS,
  404: [...RATE_HEADERS, 'Idempotent-Replayed'],
  409: [...RATE_HEADERS, 'Idempotent-Replayed'],
  412: [...RATE_HEADERS, 'Idempotent-Replayed'],
  413: RATE_HEADERS,
  415: RATE_HEADERS,
  422: RATE_HEADERS,
  429: [...RATE_HEADERS, 'Retry-After'],
  // These headers are optional: only errors that occur after rate limiting have them.
  500: RATE_HEADERS,
  503: [...RATE_HEADERS, 'Retry-After'],
}

/** Returns references to the headers of a response: Request-Id and the given ones. */
export const referToHeaders = (names: string[]) => Object.fromEntries(['Request-Id', ...names].map((name) => [name, header(name)]))

const EXAMPLE_ID = 'req_5f1d0c2b9e8a47c6a1b2c3d4'

const example = (code: ErrorCode, overrides: Partial<ErrorDoc> = {}): Example => {
  const { meaning, message, param } = { ...ERROR_DOCS[code], ...overrides }
  return {
    summary: meaning,
    value: { error: STATUS_CODES[ERROR_STATUSES[code]], message, code, ...(param ? { param } : {}), requestId: EXAMPLE_ID },
  }
}

/**
 * Returns the error responses of an operation by status.
 *
 * @param codes the errors that the operation can return
 * @param overrides the members of the error examples that differ for this operation
 */
export function errorResponses(
  codes: ErrorCode[],
  overrides: Partial<Record<ErrorCode, Partial<ErrorDoc>>> = {},
): Record<string, ResponseObject> {
  const byStatus = new Map<number, ErrorCode[]>()
  for (const code of codes) byStatus.set(ERROR_STATUSES[code], [...(byStatus.get(ERROR_STATUSES[code]) ?? []), code])
  return Object.fromEntries(
    [...byStatus].map(([status, codesOfStatus]) => [
      String(status),
      {
        description: `${STATUS_CODES[status]}: ${codesOfStatus.map((code) => `\`${code}\``).join(', ')}.`,
        headers: referToHeaders(ERROR_HEADERS[status] ?? []),
        content: {
          'application/json': {
            schema: { allOf: [refTo('Error')], type: 'object', properties: { code: { enum: codesOfStatus } } },
            examples: Object.fromEntries(codesOfStatus.map((code) => [code, example(code, overrides[code])])),
          },
        },
      },
    ]),
  )
}
