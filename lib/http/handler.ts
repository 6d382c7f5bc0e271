/** Runs an operation after its checks: authentication, scope, rate limit and load shedding. */
import { database } from '@/db/client'
import type { Scope } from '../accounts/scopes'
import type { Principal } from '../accounts/verify-key'
import type { ApiError } from '../core/errors'
import { assertAllowed, authenticate } from './authenticate'
import type { ApiRefusal } from './delay-refusal'
import { type ApiRequest, headersFor, type Reply, type ReplyBody } from './exchange'
import { runList, runLongWrite } from './load-shedding'
import { createRoute, type OperationMethod, type Route, routeByMethod } from './methods'
import { limitRate } from './rate-limit'
import { errorReply } from './respond'
import { assertFewUnread } from './unread-responses'

/** An authenticated request to an operation. */
export type Call = {
  request: ApiRequest
  principal: Principal
  /** The decoded parameters of the path. */
  path: Record<string, string>
}

export type RouteResult = { status: number; body: ReplyBody; headers?: Record<string, string> }

export type Operation = {
  method: OperationMethod
  /** The scope that the key needs; if absent, any valid key is accepted. */
  scope?: Scope
  /** True for check-in: a request takes no slot from lists, and its key is looked up on the connections reserved for check-in. */
  atDoor?: true
  /** Returns whether a received request is a write that can take much longer than a list. Such a write takes no slot from lists. */
  isLong?(request: ApiRequest): Promise<boolean>
  /** Receives the body, before the request takes a slot, so that a slow upload does not hold one. */
  receive?(request: ApiRequest): Promise<ApiRequest>
  run(call: Call): Promise<RouteResult>
}

const doorKeyPool = () => database('doorAuth')

// Not specified: the order of the checks. It is 401, 403, 429, 503 for unread responses, errors while the body is received, 503 under load,
// then the checks of the operation. A 403 counts toward the key's rate limit, above which it is delayed like a 429.
async function respond(operation: Operation, request: ApiRequest, path: Record<string, string>): Promise<Reply> {
  let rate: Record<string, string> | undefined
  let hasValidKey = false
  try {
    const principal = await authenticate(request, operation.atDoor && doorKeyPool)
    hasValidKey = true
    try {
      rate = await limitRate(principal.keyId)
    } finally {
      assertAllowed(principal, operation.scope)
    }
    const isRead = operation.method === 'GET'
    if (isRead) assertFewUnread(principal.sellerId)
    const received = (await operation.receive?.(request)) ?? request
    const work = () => operation.run({ request: received, principal, path })
    const isLong = await operation.isLong?.(received)
    const runInSlot = () => (isLong ? runLongWrite(principal.sellerId, work) : runList(principal.sellerId, work))
    const { status, body, headers } = await (operation.atDoor ? work() : runInSlot())
    return {
      status,
      headers: { ...headersFor(request.id), ...rate, ...headers },
      body,
      ...(isRead && { sellerId: principal.sellerId }),
    }
  } catch (error) {
    const reply = errorReply(error, request.id, rate)
    // A check-in's 503 is not delayed, so that the scanner can retry immediately.
    const kind = hasValidKey ? 'api' : 'invalidKey'
    const isAboveLimit = reply.status === 429 || (reply.status === 403 && rate === undefined)
    const isDelayable = isAboveLimit || (reply.status === 503 && !operation.atDoor)
    return { ...reply, refusal: isDelayable ? kind : undefined }
  }
}

/** Returns the route of an operation that needs an API key. */
export const defineRoute = (operation: Operation): Route =>
  routeByMethod({ [operation.method]: (request: ApiRequest, path: Record<string, string>) => respond(operation, request, path) })

/**
 * Returns the route of an operation that needs no API key.
 *
 * @param refusal the kind of refusal whose limits also apply to successful replies
 */
export const defineOpenRoute = (
  run: (request: ApiRequest) => Promise<RouteResult>,
  method: OperationMethod = 'GET',
  refusal?: ApiRefusal,
): Route =>
  routeByMethod({
    [method]: async (request: ApiRequest): Promise<Reply> => {
      try {
        const { status, body, headers } = await run(request)
        return { status, headers: { ...headersFor(request.id), ...headers }, body, refusal }
      } catch (error) {
        const reply = errorReply(error, request.id)
        return { ...reply, refusal: reply.status === 429 || reply.status === 503 ? 'invalidKey' : undefined }
      }
    },
  })

/** Returns a route that always responds with an error. It requires a valid key, so that clients without one cannot probe for paths. */
export const refuseAlways = (error: (request: ApiRequest) => ApiError): Route =>
  createRoute((request) =>
    respond(
      {
        method: 'GET',
        run: () => {
          throw error(request)
        },
      },
      request,
      {},
    ),
  )
