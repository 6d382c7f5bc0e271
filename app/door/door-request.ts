/** Shared by the check-in routes: authorization, the fields of every change, and the responses. */
import { z } from 'zod'
import type { ChangeResult, TicketResult } from '@/lib/admission/change-ticket'
import type { TicketDetails } from '@/lib/admission/ticket-details'
import { boundedText, objectId } from '@/lib/catalog/shapes'
import { isStorable } from '@/lib/catalog/ticket'
import { ApiError } from '@/lib/core/errors'
import { OBJECT_ID } from '@/lib/core/object-id-pattern'
import { readJson } from '@/lib/http/body'
import { errorResponse } from '@/lib/http/respond'
import { isSameOrigin } from '@/lib/http/same-origin'
import { doorRefusals } from '../copy/door-refusals'
import { type DoorCaller, type DoorRight, readCaller, readDeviceCaller } from './door-caller'
import { readPageSeller } from './page-seller'
import type { ActionResponse, ScanKind, ScanOutcome, ScanResponse } from './responses'

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

/**
 * Returns the arguments that all changes have in common.
 *
 * @param body the original body, whose fingerprint is stored with the idempotency key
 * @throws {ApiError} like `chooseEvent`
 */
export function toChange(caller: DoorCaller, { key, pageId, device }: ChangeFields, body: unknown) {
  const { sellerId, actorId } = caller
  // A retry with the same key may have a different `late`, `source` or `unanswered`: the scan may be late by then, or its code typed
  // instead of read by the camera. The order of the members also depends on whether the page or its offline engine sends the request.
  const { late: _late, source: _source, unanswered: _unanswered, ...rest } = body as Record<string, unknown>
  const comparedBody = Object.fromEntries(Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1)))
  return {
    sellerId,
    actorId,
    device: caller.deviceName ?? (device || undefined),
    idempotencyKey: key,
    onlyPageId: chooseEvent(caller, pageId),
    body: comparedBody,
  }
}

/**
 * Returns the event that a request is for; undefined for all events.
 *
 * @param pageId the event in the request. Optional for a device with a single event
 * @throws {ApiError} `scope_missing` if the caller is a device without access to this event, or a device with several events and the
 *   request does not specify one
 */
export function chooseEvent({ pageIds }: DoorCaller, pageId: string | undefined): string | undefined {
  if (!pageIds) return pageId
  const [only, ...others] = pageIds
  const event = pageId ?? (others.length === 0 ? only : undefined)
  if (event === undefined || !pageIds.includes(event)) throw new ApiError('scope_missing', doorRefusals.forbiddenEvent)
  return event
}

/** Returns the event in a request's query, or undefined for all events. Throws like `chooseEvent`. */
export function readPageId(request: Request, caller: DoorCaller): string | undefined {
  const pageId = new URL(request.url).searchParams.get('pageId') ?? ''
  return chooseEvent(caller, OBJECT_ID.test(pageId) ? pageId.toLowerCase() : undefined)
}

/** Returns whether a caller may see the details of a ticket for an event. */
export const maySee = ({ pageIds }: DoorCaller, pageId: string | undefined) =>
  !pageIds || (pageId !== undefined && pageIds.includes(pageId))

/** Returns what a caller may see of a scanned ticket: nothing for other events, and the rest of its order only with the right to search. */
function getVisibleTicket(caller: DoorCaller, details: TicketDetails | undefined): TicketDetails | undefined {
  if (!details || !maySee(caller, details.guest.pageId)) return undefined
  return caller.rights.includes('search') ? details : { ...details, others: [], hasMore: false }
}

/** The messages for callers without a right that a request requires. */
const MISSING_RIGHT = {
  scan: doorRefusals.forbiddenRole,
  search: doorRefusals.forbiddenSearch,
  checkout: doorRefusals.forbiddenCheckOut,
  undo: doorRefusals.forbiddenUndo,
  offline: doorRefusals.forbiddenOffline,
} satisfies Partial<Record<DoorRight, string>>

type RequiredRight = keyof typeof MISSING_RIGHT

/** Handles a request from the check-in page. Rejects changes from other sites. Converts the result, or the error, to a JSON response. */
export async function respondToDoor(request: Request, run: () => Promise<unknown>): Promise<Response> {
  try {
    if (request.method !== 'GET' && !isSameOrigin(request.headers)) throw new ApiError('scope_missing', doorRefusals.otherSite)
    const result = await run()
    return result instanceof Response ? result : Response.json(result, { headers: { 'Cache-Control': 'no-store' } })
  } catch (error) {
    return errorResponse(error)
  }
}

/** @throws {ApiError} `scope_missing` if the caller lacks the right */
export function requireRight({ rights }: DoorCaller, right: RequiredRight): void {
  if (!rights.includes(right)) throw new ApiError('scope_missing', MISSING_RIGHT[right])
}

/**
 * Handles a request from the check-in page that requires a caller with a right.
 *
 * @param run returns the response body, or a complete response
 */
export const handleDoorRequest = (
  request: Request,
  right: RequiredRight,
  run: (caller: DoorCaller) => Promise<unknown>,
): Promise<Response> =>
  respondToDoor(request, async () => {
    const read = right === 'offline' ? readDeviceCaller : readCaller
    const caller = await read(request.headers.get('cookie'), readPageSeller(request))
    requireRight(caller, right)
    return run(caller)
  })

/** Parses a request body. Returns the validated data and the original JSON. @throws {ApiError} `body_invalid` with `message` */
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

/** Parses a request's query parameters. @throws {ApiError} `parameter_invalid` with `message` */
export function parseSearch<T extends z.ZodType>(request: Request, schema: T, message: string): z.output<T> {
  const { success, data } = schema.safeParse(Object.fromEntries(new URL(request.url).searchParams))
  if (!success) throw new ApiError('parameter_invalid', message)
  return data
}

/**
 * Checks that the page has not reused an idempotency key for a different request, which would be a bug in the page, not a problem with the
 * ticket.
 *
 * @throws {ApiError} `idempotency_mismatch`
 */
function assertKeyMatches({ result }: ChangeResult): void {
  if (result?.outcome === 'idempotency_mismatch') throw new ApiError('idempotency_mismatch', doorRefusals.reload)
}

/** @param result the result of a validation, which has none of the outcomes of an undo or a note */
function toScanOutcome(result: TicketResult): ScanOutcome {
  if ('ticket' in result) return { kind: result.outcome as ScanKind, message: result.message, didCheckIn: result.didCheckIn }
  if (result.outcome === 'let_out') return { kind: 'checked_out', message: doorRefusals.letOut, didCheckIn: false }
  return { kind: 'unknown', message: doorRefusals.unknownTicket, didCheckIn: false }
}

const toActionResult = (result: TicketResult): ActionResponse =>
  'ticket' in result ? { done: result.success, message: result.message } : { done: false, message: doorRefusals.unknownTicket }

export const serializeScan = (result: TicketResult) => ({ status: 200, body: JSON.stringify(toScanOutcome(result)) })
export const serializeActionResult = (result: TicketResult) => ({ status: 200, body: JSON.stringify(toActionResult(result)) })

/** Returns the response to a scan or a manual check-in whose outcome was serialized by `serializeScan`. */
export function toScanResponse(caller: DoorCaller, change: ChangeResult): ScanResponse {
  assertKeyMatches(change)
  const ticket = getVisibleTicket(caller, change.details)
  return { ...(JSON.parse(change.response.body) as ScanOutcome), replayed: change.result === undefined, ticket }
}

/** Returns the response to an undo or a note whose result was serialized by `serializeActionResult`. */
export function toActionResponse(change: ChangeResult): ActionResponse {
  assertKeyMatches(change)
  return JSON.parse(change.response.body) as ActionResponse
}
