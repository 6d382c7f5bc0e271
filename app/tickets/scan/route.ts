/** POST /tickets/scan: a scan of the door's page, by the person who is signed in; the same admission as the API's. */
import { z } from 'zod'
import { isSameOrigin } from '@/app/same-origin'
import { currentPerson } from '@/app/session'
import { readJson } from '@/lib/api/body'
import { answerError } from '@/lib/api/handler'
import { newRequestId } from '@/lib/api/request-id'
import { mayUse } from '@/lib/auth/roles'
import { ApiError } from '@/lib/errors'
import { boundedText, objectId } from '@/lib/records/shapes'
import { typeName } from '@/lib/tickets/door'
import { MAX_CODE, type Ticket } from '@/lib/tickets/ticket'
import { validateTicket } from '@/lib/tickets/validate'
import type { ScanAnswer, ScanKind } from '../answers'

const noNul = (value: string) => !value.includes('\u0000') && value.isWellFormed()

const scan = z.strictObject({
  code: boundedText(1, MAX_CODE).refine(noNul),
  /** Repeated with the same scan, however often it has to be sent. */
  key: z.string().regex(/^[\x21-\x7e]{1,255}$/),
  checkIn: z.boolean(),
  pageId: objectId.optional(),
  device: boundedText(0, 64).refine(noNul).optional(),
})

type Kept = { success: boolean; reason?: ScanKind; message: string; ticket: Ticket }

async function answerScan(request: Request, requestId: string): Promise<ScanAnswer> {
  if (!isSameOrigin(request)) throw new ApiError('scope_missing', 'A scan is taken from the door’s own page alone.')
  const person = await currentPerson()
  if (!person) throw new ApiError('key_missing', 'Nobody is signed in here any more. Sign in again.')
  if (!mayUse(person.role, 'door')) throw new ApiError('scope_missing', 'This role does not let guests in.')
  const body = await readJson(request)
  const parsed = scan.safeParse(body)
  if (!parsed.success) throw new ApiError('body_invalid', 'This is no scan of a ticket. Reload the page and scan again.')
  const { code, key, checkIn, pageId, device } = parsed.data
  const { status, body: text } = await validateTicket({
    sellerId: person.sellerId,
    code,
    metadata: [],
    checkIn,
    actorId: person.userId,
    device: device || undefined,
    idempotencyKey: key,
    onlyPageId: pageId,
    body,
    requestId,
  })
  const answer = JSON.parse(text) as Kept
  if (status !== 200) return { kind: 'unknown', message: answer.message }
  const { ticket, message } = answer
  return {
    kind: answer.success ? (checkIn ? 'admitted' : 'looked') : (answer.reason ?? 'unknown'),
    message,
    guest: ticket.customerName,
    type: await typeName(person.sellerId, ticket.ticketTypeId),
    order: ticket.orderId,
    shortId: ticket.ticketShortId,
  }
}

export async function POST(request: Request): Promise<Response> {
  const requestId = newRequestId()
  try {
    return Response.json(await answerScan(request, requestId), { headers: { 'Cache-Control': 'no-store' } })
  } catch (error) {
    return answerError(error, requestId)
  }
}
