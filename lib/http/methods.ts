/** The methods of a route: HEAD beside GET, OPTIONS with Allow, and 405 for every other method. */
import { ApiError } from '../core/errors'
import { answerError, headersFor, newRequestId, respond } from './respond'

/** A handler as Next's app router and `server.ts` call it: Web standards alone. */
export type RouteHandler = (request: Request, context?: { params: Promise<Record<string, string | string[]>> }) => Promise<Response>

export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const
export type Method = (typeof METHODS)[number]
/** `any` answers methods that are not in METHODS; without it they get a 405. */
export type Route = Record<Method, RouteHandler> & { any?: RouteHandler }

/** Returns the same response without its body, with the length that the body has (RFC 9110, 9.3.2). */
async function withoutBody(response: Response): Promise<Response> {
  const length = String(Buffer.byteLength(await response.text()))
  return respond(null, response.status, { ...Object.fromEntries(response.headers), 'content-length': length })
}

export function methodNotAllowed(method: string, allow: string): Response {
  const error = new ApiError('method_not_allowed', `The method ${method} is not allowed here. Use ${allow}.`, undefined, { Allow: allow })
  return answerError(error, newRequestId())
}

// Spec silent: methods other than the operation's own.
/** Returns the route of an operation that answers one method. */
export function routeOf(method: 'GET' | 'POST', handle: RouteHandler): Route {
  const allow = method === 'GET' ? 'GET, HEAD, OPTIONS' : 'POST, OPTIONS'
  const refuse: RouteHandler = async (request) => {
    const refusal = methodNotAllowed(request.method, allow)
    return request.method === 'HEAD' ? withoutBody(refusal) : refusal
  }
  const isRead = method === 'GET'
  return {
    GET: isRead ? handle : refuse,
    HEAD: isRead ? async (request, context) => withoutBody(await handle(request, context)) : refuse,
    POST: isRead ? refuse : handle,
    PUT: refuse,
    PATCH: refuse,
    DELETE: refuse,
    OPTIONS: async () => respond(null, 204, { ...headersFor(newRequestId()), Allow: allow }),
  }
}

/** Returns a route that answers every method with one handler. */
export function routeOfAll(handle: RouteHandler): Route {
  const head: RouteHandler = async (request) => withoutBody(await handle(request))
  return { GET: handle, HEAD: head, POST: handle, PUT: handle, PATCH: handle, DELETE: handle, OPTIONS: handle, any: handle }
}
