/** Shared by the check-in routes: authorization, the fields of every change, and the responses. */
import { z } from 'zod'
import { currentUser, mustSetUpTwoFactor } from '@/app/session'
import { mayUse, type Right } from '@/lib/accounts/roles'
import type { SessionUser } from '@/lib/accounts/sessions'
import type { ChangeResult, TicketResult } from '@/lib/admission/change-ticket'
import { boundedText, objectId } from '@/lib/catalog/shapes'
import { isStorable } from '@/lib/catalog/ticket'
import { ApiError } from '@/lib/core/errors'
import { readJson } from '@/lib/http/body'
import { answerError } from '@/lib/http/respond'
import { isSameOrigin } from '@/lib/http/same-origin'
import { doorRefusals } from '../copy/door-refusals'
import type { ActionResponse, ScanKind, ScanOutcome, ScanResponse } from './responses'

/** Undoing a check-in requires access to the records, which owners and staff have. */
export const UNDO: Right = 'records'

/** The fields of every change request. */
export const changeFields = {
  /** The idempotency key: the same for each retry. */
  key: z.string().regex(/^[\x21-\x7e]{1,255}$/),
  pageId: objectId.optional(),
  device: boundedText(0, 64).refine(isStorable).optional(),
}

/** The fields of a scan. `late` means that the ticket has been scanned again since, so this scan is recorded but does not admit a guest. */
export const scanFields = { ...changeFields, late: z.literal(true).optional() }

type ChangeFields = { key: string; pageId?: string | undefined; device?: string | undefined }

/** Returns the arguments that all changes have in common. @param body the original body */
export function toChange({ sellerId, userId }: SessionUser, { key, pageId, device }: ChangeFields, body: unknown) {
  // A late scan repeats the key of its first request, which had the same body without this member.
  const { late: _, ...first } = body as Record<string, unknown>
  return { sellerId, actorId: userId, device: device || undefined, idempotencyKey: key, onlyPageId: pageId, body: first }
}

/**
 * Handles a request of the check-in page. Responds with JSON that is not cached.
 *
 * @param right the right that the user needs
 * @param run returns the response body
 */
export async function handleDoorRequest(request: Request, right: Right, run: (user: SessionUser) => Promise<unknown>): Promise<Response> {
  try {
    if (request.method !== 'GET' && !isSameOrigin(request.headers)) throw new ApiError('scope_missing', doorRefusals.otherSite)
    const user = await currentUser(true)
    if (!user) throw new ApiError('key_missing', doorRefusals.signedOut)
    if (mustSetUpTwoFactor(user)) throw new ApiError('scope_missing', doorRefusals.noTwoFactor)
    if (!mayUse(user.role, right)) throw new ApiError('scope_missing', right === UNDO ? doorRefusals.noUndo : doorRefusals.noDoor)
    return Response.json(await run(user), { headers: { 'Cache-Control': 'no-store' } })
  } catch (error) {
    return answerError(error)
  }
}

/** Parses a request body. Returns the parsed and the original JSON. @throws {ApiError} `body_invalid` with `message` */
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

/** Parses the query. @throws {ApiError} `parameter_invalid` with `message` */
export function parseSearch<T extends z.ZodType>(request: Request, schema: T, message: string): z.output<T> {
  const { success, data } = schema.safeParse(Object.fromEntries(new URL(request.url).searchParams))
  if (!success) throw new ApiError('parameter_invalid', message)
  return data
}

/** Throws if the page reused an idempotency key for a different request, which is a bug in the page and says nothing about the ticket. */
function assertKeyMatches({ result }: ChangeResult): void {
  if (result?.outcome === 'idempotency_mismatch') throw new ApiError('idempotency_mismatch', doorRefusals.reload)
}

const KINDS: Partial<Record<TicketResult['outcome'], ScanKind>> = {
  admitted: 'admitted',
  previewed: 'previewed',
  already_checked_in: 'already_checked_in',
  canceled: 'canceled',
  other_event: 'other_event',
}

const toScanOutcome = (result: TicketResult): ScanOutcome =>
  'ticket' in result
    ? { kind: KINDS[result.outcome] ?? 'unknown', message: result.message, entered: result.entered }
    : { kind: 'unknown', message: doorRefusals.unknownTicket, entered: false }

const toActionResult = (result: TicketResult): ActionResponse =>
  'ticket' in result ? { done: result.success, message: result.message } : { done: false, message: doorRefusals.unknownTicket }

export const serializeScan = (result: TicketResult) => ({ status: 200, body: JSON.stringify(toScanOutcome(result)) })
export const serializeActionResult = (result: TicketResult) => ({ status: 200, body: JSON.stringify(toActionResult(result)) })

/** Returns the response to a scan or a manual check-in, serialized by `serializeScan`. */
export function toScanResponse(change: ChangeResult): ScanResponse {
  assertKeyMatches(change)
  return { ...(JSON.parse(change.answer.body) as ScanOutcome), replayed: change.result === undefined, ticket: change.opened }
}

/** Returns the response to an undo or a note, serialized by `serializeActionResult`. */
export function toActionResponse(change: ChangeResult): ActionResponse {
  assertKeyMatches(change)
  return JSON.parse(change.answer.body) as ActionResponse
}
