/** The operation that validates an event ticket by the data of its QR code. */
import { z } from 'zod'
import { validateTicket } from '../admission/validate-ticket'
import { MAX_CODE } from '../catalog/ticket'
import { isStorable, STORABLE, validationBody } from '../catalog/ticket-validation'
import { ApiError } from '../core/errors'
import { placeOf, reasonOf } from '../core/validation-issue'
import { readJson } from './body'
import { defineRoute } from './handler'
import type { Route } from './methods'
import { parseQuery, short } from './params'
import { countGuess, refuseGuess } from './unknown-codes'

const noParams = z.strictObject({})

function parseBody(body: unknown): z.output<typeof validationBody> {
  const result = validationBody.safeParse(body)
  if (result.success) return result.data
  const [issue] = result.error.issues
  const param = issue ? short(placeOf(issue)) : ''
  if (!issue || (param === '' && issue.code !== 'unrecognized_keys'))
    throw new ApiError('body_invalid', 'The body must be a JSON object such as {}.')
  const what = issue.code === 'unrecognized_keys' ? 'is not a member of the body, which takes metadata and checkIn' : reasonOf(issue, body)
  throw new ApiError('body_invalid', `${param || 'A member without a name'} ${what}.`, param || undefined)
}

function checkCode(code: string): string {
  if (!isStorable(code))
    throw new ApiError('parameter_invalid', `The code ${STORABLE}. Send what the QR code says, percent-encoded.`, 'qrCode')
  if (code.length === 0 || [...code].length > MAX_CODE) {
    throw new ApiError(
      'parameter_invalid',
      `The code must have 1 to ${MAX_CODE} characters. Send what the QR code says, percent-encoded.`,
      'qrCode',
    )
  }
  return code
}

/** A header's value, held to a rule. */
function readHeader(headers: Headers, name: string, rule: RegExp, must: string): string | undefined {
  const value = headers.get(name)
  if (value === null) return undefined
  if (!rule.test(value)) throw new ApiError('parameter_invalid', `The header ${name} ${must}.`, name)
  return value
}

/** A header is bytes; a label such as "Tür 2" is sent as UTF-8, which arrives here one character a byte. */
function readDevice(headers: Headers): string | undefined {
  const raw = headers.get('device')
  if (raw === null || raw === '') return undefined
  let device = raw
  try {
    device = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(raw, 'latin1'))
  } catch {
    // Latin-1 after all.
  }
  if ([...device].length > 64 || /\p{Cc}/u.test(device)) {
    throw new ApiError('parameter_invalid', 'The header Device must have at most 64 characters and no control characters.', 'Device')
  }
  return device
}

/** `POST /v1/tickets/validate/:qrCode`. */
export const validateTicketRoute: Route = defineRoute({
  method: 'POST',
  scope: 'tickets:validate',
  atDoor: true,
  async run({ request, principal, requestId, path }) {
    parseQuery(request.url, noParams)
    const code = checkCode(path.qrCode ?? '')
    const idempotencyKey = readHeader(
      request.headers,
      'Idempotency-Key',
      /^[\x21-\x7e]{1,255}$/,
      'must have 1 to 255 visible ASCII characters',
    )
    const device = readDevice(request.headers)
    const body = parseBody(await readJson(request))
    await refuseGuess(principal.keyId, principal.sellerId, code)
    const {
      status,
      body: text,
      replayed,
    } = await validateTicket({
      sellerId: principal.sellerId,
      code,
      metadata: body.metadata ?? [],
      checkIn: body.checkIn ?? true,
      actorId: principal.keyId,
      device,
      idempotencyKey,
      body,
      requestId,
    })
    const counted = status === 404 && !replayed ? await countGuess(principal.keyId) : {}
    return { status, body: text, headers: { ...counted, ...(replayed && { 'Idempotent-Replayed': 'true' }) } }
  },
})
