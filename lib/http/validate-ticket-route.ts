/** `POST /v1/tickets/validate/{qrCode}`: checks the code and the body, validates the ticket, and builds the response. */
import { type Serialize, type SerializedResponse, validateTicket } from '../admission/change-ticket'
import { TooMuchMetadataError } from '../admission/decide'
import { MAX_CODE } from '../catalog/limits'
import { isStorable, STORABLE } from '../catalog/ticket'
import { validationBody } from '../catalog/ticket-validation'
import { ApiError, errorBody } from '../core/errors'
import { parseBody, readJson } from './body'
import { rejectIfMatch } from './etag'
import { noParams, parseQuery, type RequestHeaders, readIdempotencyKey } from './exchange'
import { defineRoute } from './handler'
import type { Route } from './methods'
import { limitUnknownCodes, refundUnknownCode } from './unknown-codes'

/** Returns a code if it is valid. @throws {ApiError} `parameter_invalid` */
function checkCode(code: string): string {
  if (!isStorable(code))
    throw new ApiError('parameter_invalid', `The code ${STORABLE}. Send the content of the QR code, percent-encoded.`, 'qrCode')
  if (code.length === 0 || [...code].length > MAX_CODE) {
    throw new ApiError(
      'parameter_invalid',
      `The code must have 1 to ${MAX_CODE} characters. Send the content of the QR code, percent-encoded.`,
      'qrCode',
    )
  }
  return code
}

/**
 * Returns the name of the scanning device, or undefined if there is none. Node decodes headers as Latin-1, so in a UTF-8 name such as
 * "Tür 2", each byte is a character.
 *
 * @throws {ApiError} `parameter_invalid` if it is too long or has control characters
 */
function readDevice(headers: RequestHeaders): string | undefined {
  const raw = headers.get('device')
  if (raw === null || raw === '') return undefined
  let device = raw
  try {
    device = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(raw, 'latin1'))
  } catch {
    // The name is not valid UTF-8, so it is Latin-1.
  }
  if ([...device].length > 64 || /\p{Cc}/u.test(device)) {
    throw new ApiError('parameter_invalid', 'The Device header must have at most 64 characters and no control characters.', 'Device')
  }
  return device
}

const toErrorResponse = (error: ApiError, requestId: string): SerializedResponse => ({
  status: error.status,
  body: errorBody(error, requestId),
})

/** Returns a function that converts a result to a response. A replayed response contains the ID of the first request. */
const createSerializer =
  (requestId: string): Serialize =>
  (result) => {
    if (result.outcome === 'idempotency_mismatch') {
      const message =
        'This Idempotency-Key was already used with a different ticket code or body. Use a new key for each scan; reuse a key only to retry the same request.'
      return toErrorResponse(new ApiError('idempotency_mismatch', message, 'Idempotency-Key'), requestId)
    }
    if (!('ticket' in result)) {
      const message = 'No ticket with this code. Scan the code again, or find the booking by the customer’s email address.'
      return toErrorResponse(new ApiError('ticket_not_found', message, 'qrCode'), requestId)
    }
    const { outcome, success, ticket, message } = result
    return { status: 200, body: JSON.stringify({ success, ticket, message, ...(success ? {} : { reason: outcome }) }) }
  }

/** Throws a `TooMuchMetadataError` as an `ApiError` with the code `body_invalid`, and every other error unchanged. */
export function rethrowTooMuchMetadata(error: unknown): never {
  if (!(error instanceof TooMuchMetadataError)) throw error
  const message = 'A ticket can hold at most 50 metadata entries. Delete some first. In the API, send their keys with the value null.'
  throw new ApiError('body_invalid', message, 'metadata')
}

export const validateTicketRoute: Route = defineRoute({
  method: 'POST',
  scope: 'tickets:validate',
  atDoor: true,
  async run({ request, principal, path }) {
    parseQuery(request.url, noParams)
    const code = checkCode(path.qrCode ?? '')
    const idempotencyKey = readIdempotencyKey(request.headers)
    rejectIfMatch(request.headers, 'A validation applies to any version of the ticket')
    const device = readDevice(request.headers)
    const body = parseBody(validationBody, await readJson(request))
    const { sellerId, keyId } = principal
    const scan = { sellerId, actorId: keyId, code, checkIn: body.checkIn ?? true }
    const validation = { ...scan, metadata: body.metadata ?? [], device, idempotencyKey, body }
    const { result, response } = await limitUnknownCodes(scan, createSerializer(request.id), (serialize) =>
      validateTicket(validation, serialize),
    ).catch(rethrowTooMuchMetadata)
    const rateHeaders = result?.outcome === 'unknown' ? await refundUnknownCode(sellerId, keyId, request.id) : {}
    return { ...response, headers: { ...rateHeaders, ...(result ? {} : { 'Idempotent-Replayed': 'true' }) } }
  },
})
