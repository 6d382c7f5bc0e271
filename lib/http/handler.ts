/** What every operation has in common: authenticate, limit, run, encode, and turn what is thrown into an answer. */
import { getPool } from '@/db/pools'
import { unavailableReason } from '@/db/unavailable'
import { touchKey } from '../accounts/api-keys'
import type { Scope } from '../accounts/scopes'
import type { Principal } from '../accounts/verify-key'
import { ApiError, errorBody, toApiError } from '../core/errors'
import { describeError, log } from '../core/log'
import { authenticate, bearerOf, requireScope } from './authenticate'
import { inListTurn, runOrShed } from './load-shedding'
import { noteCaller } from './observe'
import { limitRate } from './rate-limit'
import { newRequestId } from './request-id'
import { respond } from './respond'

export type Call = {
  request: Request
  principal: Principal
  requestId: string
  /** The path's parameters, decoded. */
  path: Record<string, string>
}

export type Answer = { status: number; body: string | Uint8Array<ArrayBuffer>; headers?: Record<string, string> }

export type Operation = {
  method: 'GET' | 'POST'
  /** The scope that a key needs; none where any working key will do. */
  scope?: Scope
  /** A guest waits on it: even its key is looked up on connections of their own. */
  atDoor?: true
  run(call: Call): Promise<Answer>
}

/** A handler as Next's app router and `server.ts` call it: Web standards alone. */
export type RouteHandler = (request: Request, context?: { params: Promise<Record<string, string | string[]>> }) => Promise<Response>

export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const
export type Method = (typeof METHODS)[number]
/** `any` answers methods that have no name here, where those are not simply refused. */
export type Route = Record<Method, RouteHandler> & { any?: RouteHandler }

// Spec silent: the answers' headers. Records are personal data: nothing on the way may keep them.
const headersFor = (requestId: string) => ({
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'no-store',
  'Request-Id': requestId,
})

/** Any failure as the answer it deserves; what is our fault is logged. */
export function answerError(thrown: unknown, requestId: string, headers: Record<string, string> = {}): Response {
  const error = toApiError(thrown)
  if (error.code === 'internal') log().error({ requestId, error: describeError(thrown) }, error.code)
  else if (error.code === 'unavailable')
    log().warn({ requestId, reason: unavailableReason(thrown), cause: describeError((thrown as Error).cause ?? thrown) }, error.code)
  return respond(errorBody(error, requestId), error.status, { ...headersFor(requestId), ...headers, ...error.headers })
}

// Spec silent: in which order a request is checked. 401, 403, 429, then what `run` finds.
async function answer(operation: Operation, request: Request, path: Record<string, string>): Promise<Response> {
  const requestId = newRequestId()
  let rate: Record<string, string> | undefined
  try {
    const principal = await authenticate(bearerOf(request.headers), operation.atDoor ? getPool('doorKeys') : undefined)
    noteCaller(request, principal)
    if (operation.scope) requireScope(principal, operation.scope)
    rate = await limitRate(principal.keyId)
    touchKey(principal.keyId, (error) => log().warn({ requestId, error: describeError(error) }, 'last use not recorded'))
    const work = () => operation.run({ request, principal, requestId, path })
    const { status, body, headers } = await (operation.atDoor ? work() : inListTurn(work))
    return respond(body, status, { ...headersFor(requestId), ...rate, ...headers })
  } catch (error) {
    return answerError(error, requestId, rate)
  }
}

/** The same answer without its body, its length told (RFC 9110, 9.3.2). */
const withoutBody = async (response: Response) => {
  const length = String(Buffer.byteLength(await response.text()))
  return respond(null, response.status, { ...Object.fromEntries(response.headers), 'content-length': length })
}

export function methodNotAllowed(method: string, allow: string): Response {
  return answerError(
    new ApiError('method_not_allowed', `${method} does not work here. Use ${allow}.`, undefined, { Allow: allow }),
    newRequestId(),
  )
}

// Spec silent: methods other than the operation's own.
/** One method's handler as a whole route: HEAD beside GET, OPTIONS told, every other method refused. */
function routeOf(method: 'GET' | 'POST', handle: RouteHandler): Route {
  const allow = method === 'GET' ? 'GET, HEAD, OPTIONS' : 'POST, OPTIONS'
  const refuse: RouteHandler = async (request) => {
    const refusal = methodNotAllowed(request.method, allow)
    return request.method === 'HEAD' ? withoutBody(refusal) : refusal
  }
  const reads = method === 'GET'
  return {
    GET: reads ? handle : refuse,
    HEAD: reads ? async (request, context) => withoutBody(await handle(request, context)) : refuse,
    POST: reads ? refuse : handle,
    PUT: refuse,
    PATCH: refuse,
    DELETE: refuse,
    OPTIONS: async () => respond(null, 204, { ...headersFor(newRequestId()), Allow: allow }),
  }
}

/** A route's handlers, one a method, from the one operation that answers there. */
export const defineRoute = (operation: Operation): Route =>
  routeOf(operation.method, async (request, context) => {
    const path = ((await context?.params) ?? {}) as Record<string, string>
    const work = () => answer(operation, request, path)
    return operation.atDoor ? work() : runOrShed(work).catch((shed) => answerError(shed, newRequestId()))
  })

/** A route that needs no key. */
export const defineOpenRoute = (run: (request: Request) => Promise<Answer>, method: Operation['method'] = 'GET'): Route =>
  routeOf(method, async (request) => {
    const requestId = newRequestId()
    try {
      const { status, body, headers } = await run(request)
      return respond(body, status, { ...headersFor(requestId), ...headers })
    } catch (error) {
      return answerError(error, requestId)
    }
  })

/** Answers every method with one refusal, to a key that works: what a path hides is nobody else's affair. */
export function refuseAlways(error: (request: Request) => ApiError): Route {
  const handle: RouteHandler = (request) =>
    answer(
      {
        method: 'GET',
        run: () => {
          throw error(request)
        },
      },
      request,
      {},
    )
  const head: RouteHandler = async (request) => withoutBody(await handle(request))
  return { GET: handle, HEAD: head, POST: handle, PUT: handle, PATCH: handle, DELETE: handle, OPTIONS: handle, any: handle }
}
