/** Builds routes from the handlers of their methods. Adds HEAD for GET, OPTIONS with Allow, and 405 for all other methods. */
import { ApiError } from '../core/errors'
import { type ApiRequest, fromRequest, getLength, headersFor, type Reply, toResponse } from './exchange'
import { errorReply, errorResponse } from './respond'

/** The methods that Next calls handlers for. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const
export type Method = (typeof METHODS)[number]

export const isMethod = (name: string): name is Method => (METHODS as readonly string[]).includes(name)

/** Handles a request. @param params the decoded parameters of the path */
export type Handler = (request: ApiRequest, params: Record<string, string>) => Promise<Reply>

/** The methods that operations can have. */
export type OperationMethod = 'GET' | 'POST' | 'PATCH' | 'DELETE'

/** The handlers of a path's operations. */
type Operations = Partial<Record<OperationMethod, Handler>>

type RouteContext = { params: Promise<Record<string, string | string[]>> }

/** An export of a `route.ts`. Next calls it; `server.ts` calls `handle` directly, for every method. */
type RouteHandler = ((request: Request, context?: RouteContext) => Promise<Response>) & { handle: Handler; operations: Operations }

/** The exports of a `route.ts`. */
export type Route = Record<Method, RouteHandler>

/** Returns the reply to a HEAD request: without the body, but with its length (RFC 9110, 9.3.2). */
const withoutBody = (reply: Reply): Reply =>
  reply.body === null ? reply : { ...reply, headers: { ...reply.headers, 'Content-Length': String(getLength(reply.body)) }, body: null }

/** Returns a route with one handler for every method. @param operations the operations for `combineRoutes` to merge */
export function createRoute(handler: Handler, operations: Operations = {}): Route {
  const handle: Handler = (request, params) => {
    const reply = handler(request, params)
    return request.method === 'HEAD' ? reply.then(withoutBody) : reply
  }
  const respond = async (request: Request, context?: RouteContext) =>
    toResponse(await handle(fromRequest(request), ((await context?.params) ?? {}) as Record<string, string>))
  const exported = Object.assign(respond, { handle, operations })
  return Object.fromEntries(METHODS.map((method) => [method, exported])) as Route
}

/** Returns the error for a method that a path does not support. @param allow the supported methods, as in the `Allow` header */
export const methodNotAllowedError = (method: string, allow: string) =>
  new ApiError('method_not_allowed', `The method ${method} is not allowed for this path. Use ${allow}.`, undefined, { Allow: allow })

export const methodNotAllowed = (method: string, allow: string): Response => errorResponse(methodNotAllowedError(method, allow))

// Not specified: methods that a path has no operation for.
/** Returns the route of a path from the handlers of its operations. */
export function routeByMethod(operations: Operations): Route {
  const allow = [...Object.keys(operations).flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])), 'OPTIONS'].join(', ')
  // These replies need no key, so they are delayed like those to other requests without one.
  const refusal = 'invalidKey' as const
  const refuse: Handler = async ({ id, method }) => ({ ...errorReply(methodNotAllowedError(method, allow), id), refusal })
  const byMethod = new Map<string, Handler>([
    ...Object.entries(operations),
    ['HEAD', operations.GET ?? refuse],
    ['OPTIONS', async ({ id }) => ({ status: 204, headers: { ...headersFor(id), Allow: allow }, body: null, refusal })],
  ])
  return createRoute((request, params) => (byMethod.get(request.method) ?? refuse)(request, params), operations)
}

/** Returns one route with the operations of several routes for the same path. */
export const combineRoutes = (...routes: Route[]): Route => routeByMethod(Object.assign({}, ...routes.map(({ GET }) => GET.operations)))
