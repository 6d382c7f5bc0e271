/** What the door's routes share: who sends a request, the fields of every change, and the answer. */
import { z } from 'zod'
import { isSameOrigin } from '@/app/same-origin'
import { currentPerson } from '@/app/session'
import { mayUse, type Right } from '@/lib/accounts/roles'
import type { Person } from '@/lib/accounts/sessions'
import type { ChangeResult, TicketResult } from '@/lib/admission/change-ticket'
import { boundedText, objectId } from '@/lib/catalog/shapes'
import { ApiError } from '@/lib/core/errors'
import { readJson } from '@/lib/http/body'
import { answerError, newRequestId } from '@/lib/http/respond'
import { doorRefusals } from '../copy/door-refusals'
import type { DeskAnswer, ScanAnswer, ScanKind, Verdict } from './answers'

/** Owners and staff, as for the records. */
export const UNDO: Right = 'records'

export const noNul = (value: string) => !value.includes('\u0000') && value.isWellFormed()

/** The fields of every change at the door. */
export const changeFields = {
  /** The idempotency key: the same for each retry. */
  key: z.string().regex(/^[\x21-\x7e]{1,255}$/),
  pageId: objectId.optional(),
  device: boundedText(0, 64).refine(noNul).optional(),
}

type ChangeFields = { key: string; pageId?: string | undefined; device?: string | undefined }

/** Returns the part of a change that every route fills in alike. */
export const toChange = ({ sellerId, userId }: Person, { key, pageId, device }: ChangeFields, body: unknown) => ({
  sellerId,
  actorId: userId,
  device: device || undefined,
  idempotencyKey: key,
  onlyPageId: pageId,
  body,
})

/**
 * Answers a request of the check-in page with JSON that no cache may store.
 *
 * @param right what the person must be allowed to do
 * @param run returns the answer's body
 */
export async function answerDoor(request: Request, right: Right, run: (person: Person) => Promise<unknown>): Promise<Response> {
  const requestId = newRequestId()
  try {
    if (request.method !== 'GET' && !isSameOrigin(request)) throw new ApiError('scope_missing', doorRefusals.otherSite)
    const person = await currentPerson(true)
    if (!person) throw new ApiError('key_missing', doorRefusals.signedOut)
    if (!mayUse(person.role, right)) throw new ApiError('scope_missing', right === UNDO ? doorRefusals.noUndo : doorRefusals.noDoor)
    return Response.json(await run(person), { headers: { 'Cache-Control': 'no-store' } })
  } catch (error) {
    return answerError(error, requestId)
  }
}

/** Returns a body as parsed, and as it was sent. @throws {ApiError} `body_invalid` with the message */
export async function parseBody<T extends z.ZodType>(
  request: Request,
  schema: T,
  message: string,
): Promise<{ data: z.output<T>; body: unknown }> {
  const body = await readJson(request)
  const { success, data } = schema.safeParse(body)
  if (!success) throw new ApiError('body_invalid', message)
  return { data, body }
}

/** Returns the parsed query. @throws {ApiError} `parameter_invalid` with the message */
export function parseSearch<T extends z.ZodType>(request: Request, schema: T, message: string): z.output<T> {
  const { success, data } = schema.safeParse(Object.fromEntries(new URL(request.url).searchParams))
  if (!success) throw new ApiError('parameter_invalid', message)
  return data
}

/** The page sent a key again with another scan: the page is at fault, not the guest. */
function refuseMismatch({ result }: ChangeResult): void {
  if (result?.outcome === 'idempotency_mismatch') throw new ApiError('idempotency_mismatch', doorRefusals.reload)
}

const KINDS: Partial<Record<TicketResult['outcome'], ScanKind>> = {
  admitted: 'admitted',
  previewed: 'previewed',
  already_checked_in: 'already_checked_in',
  canceled: 'canceled',
  other_event: 'other_event',
}

const toVerdict = (result: TicketResult): Verdict =>
  'ticket' in result
    ? { kind: KINDS[result.outcome] ?? 'unknown', message: result.message, entered: result.entered }
    : { kind: 'unknown', message: doorRefusals.unknownTicket, entered: false }

const toDone = (result: TicketResult): DeskAnswer =>
  'ticket' in result ? { done: result.success, message: result.message } : { done: false, message: doorRefusals.unknownTicket }

export const serializeVerdict = (result: TicketResult) => ({ status: 200, body: JSON.stringify(toVerdict(result)) })
export const serializeDone = (result: TicketResult) => ({ status: 200, body: JSON.stringify(toDone(result)) })

/** Returns the answer to a scan or a manual check-in, serialized by `serializeVerdict`. */
export function toScanAnswer(change: ChangeResult): ScanAnswer {
  refuseMismatch(change)
  return { ...(JSON.parse(change.answer.body) as Verdict), ticket: change.opened }
}

/** Returns the answer to an undo or a note, serialized by `serializeDone`. */
export function toDeskAnswer(change: ChangeResult): DeskAnswer {
  refuseMismatch(change)
  return JSON.parse(change.answer.body) as DeskAnswer
}
