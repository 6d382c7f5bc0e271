/** Builds routes from the handlers of their methods. Adds HEAD for GET, OPTIONS with Allow, and 405 for all other methods. */
import { ApiError } from '../core/errors'
import { type ApiRequest, fromRequest, getLength, headersFor, type Reply, toResponse } from './exchange'
import { errorReply, errorResponse } from './respond'

/** The methods for which Next calls a handler. */
export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const
export type Method = (typeof METHODS)[number]

export const isMethod = (name: string): name is Method => (METHODS as readonly string[]).includes(name)

/** Handles a request. @param params the decoded parameters of the path */
export type Handler = (request: ApiRequest, params: Record<string, string>) => Promise<Reply>

/** The methods that operations can have. */
const OPERATION_METHODS = ['GET', 'POST', 'PATCH', 'DELETE'] as const
export type OperationMethod = (typeof OPERATION_METHODS)[number]

/** The handlers of one path. */
export type Endpoint = {
  byMethod: ReadonlyMap<string, Handler>
  /** Handles every other method. */
  other: Handler
}

type RouteContext = { params: Promise<Record<string, string | string[]>> }

/** The exports of a `route.ts`. Next calls them; `server.ts` calls the endpoint directly. */
export type Route = Record<Method, ((request: Request, context?: RouteContext) => Promise<Response>) & { endpoint: Endpoint }>

function toRoute(endpoint: Endpoint): Route {
  const handlers = METHODS.map((method) => {
    const handle = endpoint.byMethod.get(method) ?? endpoint.other
    const handler = async (request: Request, context?: RouteContext) =>
      toResponse(await handle(fromRequest(request), ((await context?.params) ?? {}) as Record<string, string>))
    return [method, Object.assign(handler, { endpoint })]
  })
  return Object.fromEntries(handlers) as Route
}

/** Returns the reply without its body, but with the body's length (RFC 9110, 9.3.2). */
const withoutBody = (reply: Reply): Reply => ({
  ...reply,
  headers: { ...reply.headers, 'Content-Length': String(getLength(reply.body)) },
  body: null,
})

const toHeadHandler =
  (handle: Handler): Handler =>
  async (request, params) =>
    withoutBody(await handle(request, params))

/** Returns the error for a method that a path does not support. @param allow the supported methods, as in the `Allow` header */
export const methodNotAllowedError = (method: string, allow: string) =>
  new ApiError('method_not_allowed', `The method ${method} is not allowed for this path. Use ${allow}.`, undefined, { Allow: allow })

export const methodNotAllowed = (method: string, allow: string): Response => errorResponse(methodNotAllowedError(method, allow))

// Spec silent: methods that a path has no operation for.
/** Returns the route of a path from the handlers of its operations. */
export function routeByMethod(handlers: Partial<Record<OperationMethod, Handler>>): Route {
  const { GET: read } = handlers
  const allow = [...Object.keys(handlers).flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])), 'OPTIONS'].join(', ')
  const refuse: Handler = async (request) => errorReply(methodNotAllowedError(request.method, allow), request.id)
  return toRoute({
    byMethod: new Map<string, Handler>([
      ...Object.entries(handlers),
      ['HEAD', toHeadHandler(read ?? refuse)],
      ['OPTIONS', async ({ id }) => ({ status: 204, headers: { ...headersFor(id), Allow: allow }, body: null })],
    ]),
    other: refuse,
  })
}

/** Returns a route with the same handler for every method. */
export const routeOfAll = (handle: Handler): Route => toRoute({ byMethod: new Map([['HEAD', toHeadHandler(handle)]]), other: handle })

/** Returns a route whose endpoint depends on the path's parameters. */
export function routeByParams(findEndpoint: (params: Record<string, string>) => Endpoint): Route {
  const handle =
    (method: string): Handler =>
    (request, params) => {
      const { byMethod, other } = findEndpoint(params)
      return (byMethod.get(method) ?? other)(request, params)
    }
  return toRoute({ byMethod: new Map(METHODS.map((method) => [method, handle(method)])), other: handle('') })
}

/** Returns one route with the operations of several routes for the same path. */
export function combineRoutes(...routes: Route[]): Route {
  const handlers = routes.flatMap(({ GET: { endpoint } }) =>
    OPERATION_METHODS.flatMap((method) => {
      const handle = endpoint.byMethod.get(method)
      return handle ? [[method, handle]] : []
    }),
  )
  return routeByMethod(Object.fromEntries(handlers))
}
