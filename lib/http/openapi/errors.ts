/** Every refusal as the reference tells it: what each code means, what it looks like, and at which operation it can come. */
import { STATUS_CODES } from 'node:http'
import { type ErrorCode, STATUS_OF } from '../../core/errors'
import { refTo } from './schemas'
import type { Example, Header, Reference, ResponseObject } from './types'

type Meaning = {
  /** What went wrong. */
  means: string
  /** What an answer says, as it is sent. */
  message: string
  param?: string
}

/** In the order in which the guide lists them. */
export const MEANINGS: Record<ErrorCode, Meaning> = {
  parameter_invalid: {
    means: 'A parameter or a header does not have the form that it must have.',
    message: 'limit must be a whole number from 1 to 100.',
    param: 'limit',
  },
  parameter_unknown: {
    means: 'The operation has no parameter of this name. A misspelt filter never lists everything.',
    message: "There is no parameter 'stauts'. This operation takes limit, starting_after, ending_before, search, pageId, status.",
    param: 'stauts',
  },
  parameter_repeated: {
    means: 'A parameter stands in the query twice.',
    message: 'limit stands in the query twice. Send it once.',
    param: 'limit',
  },
  parameters_exclusive: {
    means: 'Both cursors were sent.',
    message: 'Send starting_after for the records behind a cursor, or ending_before for those ahead of it, not both.',
    param: 'ending_before',
  },
  resource_missing: {
    means: 'The cursor is no record of yours.',
    message: "No payment with id '00000000000000000000000a'. Use the id of the first or last record of a previous page.",
    param: 'starting_after',
  },
  body_invalid: {
    means: 'The body is no JSON, or not of the form that it must have.',
    message: 'checkIn must be true or false, not text.',
    param: 'checkIn',
  },
  path_invalid: {
    means: 'The path is not valid percent-encoded UTF-8, or the request is no valid HTTP.',
    message: 'The path is not valid percent-encoded UTF-8. Encode what you put into it; a plain % is %25.',
  },
  key_missing: {
    means: 'No key was sent in the header `Authorization`.',
    message: 'Send an API key in the header `Authorization: Bearer <key>`.',
    param: 'Authorization',
  },
  key_invalid: {
    means: 'The key is mistyped, unknown, revoked or expired; which of these is not told.',
    message: 'This API key does not work: it is mistyped, unknown, expired or revoked. Check it, or make a new one.',
    param: 'Authorization',
  },
  scope_missing: {
    means: 'The key works, but not for this operation.',
    message: 'This API key lacks the scope payments:read. Use a key that has it.',
  },
  route_not_found: {
    means: 'No operation is at this path.',
    message:
      'No operation answers GET at this path. There are GET /v1/subscriptions, GET /v1/coupons, GET /v1/payments, GET /v1/bookings and POST /v1/tickets/validate/{qrCode}.',
  },
  ticket_not_found: {
    means: 'No ticket of yours has this code.',
    message: 'No ticket of yours has this code. Scan it again, or look the booking up by its e-mail address.',
    param: 'qrCode',
  },
  method_not_allowed: {
    means: 'The path exists, but not with this method. The header `Allow` says which it takes.',
    message: 'DELETE does not work here. Use GET, HEAD, OPTIONS.',
  },
  body_too_large: { means: 'The body is over 64 KiB.', message: 'The body is over 64 KiB. Send less at a time.' },
  media_type_unsupported: {
    means: 'The body is not said to be JSON, or it is compressed.',
    message: 'Send the body as JSON, uncompressed, with the header `Content-Type: application/json`.',
    param: 'Content-Type',
  },
  idempotency_mismatch: {
    means: 'The `Idempotency-Key` came with another code or body before.',
    message:
      'This Idempotency-Key came with another code or body before. Send a new key with each new scan; repeat one only to repeat its request.',
    param: 'Idempotency-Key',
  },
  rate_limited: {
    means: 'The key has made its requests of this minute. `Retry-After` says how long to wait.',
    message: 'This key has made its 1000 requests of the minute. Wait 42 s and go on.',
  },
  headers_too_large: {
    means: 'The request’s headers are over 16 KiB.',
    message: "The request's headers are over 16 KiB. Send fewer or shorter ones.",
  },
  internal: {
    means: 'A fault of the server’s own. Try again; if it goes on, report the `requestId`.',
    message: 'An internal error occurred. Try again; if the error persists, report the request id.',
  },
  unavailable: {
    means: 'The server can’t reach its data. Try again after `Retry-After`; a validation was not made unless it was confirmed.',
    message: 'The service is temporarily unavailable. No change was made unless it was confirmed. Try again in a moment.',
  },
}

export const HEADERS: Record<string, Header> = {
  'Request-Id': {
    description: 'The id of this request: the shop’s request log and the server’s own log have it too.',
    required: true,
    schema: { type: 'string', pattern: '^req_[0-9a-z]+$' },
  },
  'RateLimit-Limit': {
    description: 'How many requests a minute the key may make. Absent where the server sets no limit.',
    schema: { type: 'integer', minimum: 1 },
  },
  'RateLimit-Remaining': { description: 'How many of them are left in this minute.', schema: { type: 'integer', minimum: 0 } },
  'RateLimit-Reset': {
    description: 'In how many seconds the next minute of the count begins.',
    schema: { type: 'integer', minimum: 0 },
  },
  'Retry-After': { description: 'How many seconds to wait.', required: true, schema: { type: 'integer', minimum: 0 } },
  'WWW-Authenticate': { description: 'How to authenticate: `Bearer`.', required: true, schema: { type: 'string', enum: ['Bearer'] } },
  'Idempotent-Replayed': {
    description: '`true` where this is the first answer to the `Idempotency-Key`, given again.',
    schema: { type: 'string', enum: ['true'] },
  },
}

export const header = (name: string): Reference => ({ $ref: `#/components/headers/${name}` })
export const RATE_HEADERS = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset']

const HEADERS_OF: Record<number, string[]> = {
  400: RATE_HEADERS,
  401: ['WWW-Authenticate'],
  404: [...RATE_HEADERS, 'Idempotent-Replayed'],
  413: RATE_HEADERS,
  415: RATE_HEADERS,
  422: RATE_HEADERS,
  429: [...RATE_HEADERS, 'Retry-After'],
  // What failed behind the count of requests tells it; what failed before does not.
  500: RATE_HEADERS,
  503: [...RATE_HEADERS, 'Retry-After'],
}

/** The headers of an answer, by reference. */
export const headersOf = (names: string[]) => Object.fromEntries(['Request-Id', ...names].map((name) => [name, header(name)]))

const EXAMPLE_ID = 'req_5f1d0c2b9e8a47c6a1b2c3d4'

const example = (code: ErrorCode, told: Partial<Meaning> = {}): Example => {
  const { means, message, param } = { ...MEANINGS[code], ...told }
  return {
    summary: means,
    value: { error: STATUS_CODES[STATUS_OF[code]], message, code, ...(param ? { param } : {}), requestId: EXAMPLE_ID },
  }
}

/**
 * The refusals of one operation, by status.
 *
 * @param told what an example says at this operation, where that is not what it says elsewhere
 */
export function refusals(codes: ErrorCode[], told: Partial<Record<ErrorCode, Partial<Meaning>>> = {}): Record<string, ResponseObject> {
  const byStatus = new Map<number, ErrorCode[]>()
  for (const code of codes) byStatus.set(STATUS_OF[code], [...(byStatus.get(STATUS_OF[code]) ?? []), code])
  return Object.fromEntries(
    [...byStatus].map(([status, those]) => [
      String(status),
      {
        description: `${STATUS_CODES[status]}: ${those.map((code) => `\`${code}\``).join(', ')}.`,
        headers: headersOf(HEADERS_OF[status] ?? []),
        content: {
          'application/json': {
            schema: { allOf: [refTo('Error')], type: 'object', properties: { code: { enum: those } } },
            examples: Object.fromEntries(those.map((code) => [code, example(code, told[code])])),
          },
        },
      },
    ]),
  )
}
