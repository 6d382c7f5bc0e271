/** The methods of a route: GET with HEAD, OPTIONS with Allow, and 405 for every other method. */
import { ApiError } from '../core/errors'
import { type ApiRequest, type Reply, toResponse } from './reply'
import { answerError, errorReply, headersFor, newRequestId } from './respond'

export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const
export type Method = (typeof METHODS)[number]

export const isMethod = (name: string): name is Method => (METHODS as readonly string[]).includes(name)

export type Handle = (request: ApiRequest, params: Record<string, string>) => Promise<Reply>

/** The handlers of one path. Methods that are not in METHODS get `any`, or a 405 with the methods of `allow` if there is none. */
export type Endpoint = Record<Method, Handle> & { allow: string; any?: Handle }

type RouteContext = { params: Promise<Record<string, string | string[]>> }

/** The exports of a `route.ts`. Next calls them; `server.ts` calls the endpoint directly. */
export type Route = Record<Method, ((request: Request, context?: RouteContext) => Promise<Response>) & { endpoint: Endpoint }>

function toRoute(endpoint: Endpoint): Route {
  const handlers = METHODS.map((method) => {
    const handler = async (request: Request, context?: RouteContext) =>
      toResponse(await endpoint[method](request, ((await context?.params) ?? {}) as Record<string, string>))
    return [method, Object.assign(handler, { endpoint })]
  })
  return Object.fromEntries(handlers) as Route
}

/** Returns the reply without its body, with the body's length (RFC 9110, 9.3.2). */
const withoutBody = ({ status, headers, body }: Reply): Reply => ({
  status,
  headers: { ...headers, 'Content-Length': String(Buffer.byteLength(body ?? '')) },
  body: null,
})

export const methodError = (method: string, allow: string) =>
  new ApiError('method_not_allowed', `The method ${method} is not allowed here. Use ${allow}.`, undefined, { Allow: allow })

export const methodNotAllowed = (method: string, allow: string): Response => answerError(methodError(method, allow), newRequestId())

// Spec silent: methods other than the operation's own.
/** Returns the route of an operation with one method. */
export function routeOf(method: 'GET' | 'POST', handle: Handle): Route {
  const allow = method === 'GET' ? 'GET, HEAD, OPTIONS' : 'POST, OPTIONS'
  const refuse: Handle = async (request) => {
    const refusal = errorReply(methodError(request.method, allow), newRequestId())
    return request.method === 'HEAD' ? withoutBody(refusal) : refusal
  }
  const isRead = method === 'GET'
  return toRoute({
    allow,
    GET: isRead ? handle : refuse,
    HEAD: isRead ? async (request, params) => withoutBody(await handle(request, params)) : refuse,
    POST: isRead ? refuse : handle,
    PUT: refuse,
    PATCH: refuse,
    DELETE: refuse,
    OPTIONS: async () => ({ status: 204, headers: { ...headersFor(newRequestId()), Allow: allow }, body: null }),
  })
}

/** Returns a route that answers every method with one handler. */
export function routeOfAll(handle: Handle): Route {
  const head: Handle = async (request, params) => withoutBody(await handle(request, params))
  const methods = { GET: handle, HEAD: head, POST: handle, PUT: handle, PATCH: handle, DELETE: handle, OPTIONS: handle, any: handle }
  return toRoute({ ...methods, allow: METHODS.join(', ') })
}
