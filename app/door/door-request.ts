/** What the door's handlers have in common: who asks, what each request of the door carries, and how it is answered. */
import { z } from 'zod'
import { isSameOrigin } from '@/app/same-origin'
import { currentPerson } from '@/app/session'
import { mayUse, type Right } from '@/lib/accounts/roles'
import type { Person } from '@/lib/accounts/sessions'
import type { Answer, ChangeBody } from '@/lib/admission/change-ticket'
import { typeNameOf } from '@/lib/admission/guests'
import { boundedText, objectId } from '@/lib/catalog/shapes'
import { ApiError } from '@/lib/core/errors'
import { readJson } from '@/lib/http/body'
import { answerError, newRequestId } from '@/lib/http/respond'
import { doorRefusals } from '../copy/door-refusals'
import { type DeskAnswer, REFUSALS, type ScanAnswer } from './answers'

/** Owner and staff, as for the records. */
export const UNDO: Right = 'records'

export const noNul = (value: string) => !value.includes('\u0000') && value.isWellFormed()

/** What each change at the door is sent with. */
export const sentAlong = {
  /** Repeated with the same scan, however often it has to be sent. */
  key: z.string().regex(/^[\x21-\x7e]{1,255}$/),
  pageId: objectId.optional(),
  device: boundedText(0, 64).refine(noNul).optional(),
}

export type Asked = { person: Person; requestId: string }

/**
 * Answers a request of the door's own page as JSON that nothing on the way may keep.
 *
 * @param right what the person must be allowed to do
 * @param run answers what is sent
 */
export async function answerDoor(request: Request, right: Right, run: (asked: Asked) => Promise<unknown>): Promise<Response> {
  const requestId = newRequestId()
  try {
    if (request.method !== 'GET' && !isSameOrigin(request)) throw new ApiError('scope_missing', doorRefusals.otherSite)
    const person = await currentPerson(true)
    if (!person) throw new ApiError('key_missing', doorRefusals.signedOut)
    if (!mayUse(person.role, right)) throw new ApiError('scope_missing', right === UNDO ? doorRefusals.noUndo : doorRefusals.noDoor)
    return Response.json(await run({ person, requestId }), { headers: { 'Cache-Control': 'no-store' } })
  } catch (error) {
    return answerError(error, requestId)
  }
}

/** A body as its schema has it, and as it was sent. @throws {ApiError} `body_invalid`, saying `otherwise` */
export async function parseBody<T extends z.ZodType>(
  request: Request,
  schema: T,
  otherwise: string,
): Promise<{ data: z.output<T>; body: unknown }> {
  const body = await readJson(request)
  const { success, data } = schema.safeParse(body)
  if (!success) throw new ApiError('body_invalid', otherwise)
  return { data, body }
}

/** A query as its schema has it. @throws {ApiError} `parameter_invalid`, saying `otherwise` */
export function parseSearch<T extends z.ZodType>(request: Request, schema: T, otherwise: string): z.output<T> {
  const { success, data } = schema.safeParse(Object.fromEntries(new URL(request.url).searchParams))
  if (!success) throw new ApiError('parameter_invalid', otherwise)
  return data
}

function readChange({ status, body }: Answer): ChangeBody | { message: string; ticket?: undefined } {
  // A page that repeats a key with another scan is at fault itself; the guest is not.
  if (status !== 200 && status !== 404) throw new ApiError('idempotency_mismatch', doorRefusals.reload)
  return JSON.parse(body)
}

/** What a scan or a check-in by hand came to. @param done what it is called where it succeeded */
export async function toScanAnswer({ person }: Asked, answer: Answer, done: 'admitted' | 'looked'): Promise<ScanAnswer> {
  const change = readChange(answer)
  if (!change.ticket) return { kind: 'unknown', message: change.message }
  const { success, reason, message, ticket } = change
  return {
    kind: success ? done : (REFUSALS.find((one) => one === reason) ?? 'unknown'),
    message,
    ticketId: ticket.id,
    guest: ticket.customerName,
    type: await typeNameOf(person.sellerId, ticket.id),
    order: ticket.orderId,
    shortId: ticket.ticketShortId,
  }
}

/** What an undo or a note came to. */
export function toDeskAnswer(answer: Answer): DeskAnswer {
  const change = readChange(answer)
  return { done: change.ticket !== undefined && change.success, message: change.message }
}
