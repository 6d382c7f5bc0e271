/** One log line a request, its count, and its entry in the request log: route, status, duration, who; never what was asked or answered. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Principal } from '../accounts/verify-key'
import { log } from '../core/log'
import { countRequest } from '../core/metrics'
import { callerOf } from './authenticate'
import { keepRequest } from './request-log'

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
/** The dashboard's first segments; what stands behind them is an id. */
const PAGES =
  /^\/(overview|payments|bookings|subscriptions|coupons|tickets|door|settings|sign-in|invite|developers|api\/auth|_next)(?=\/|$)/

type Facts = { route: string; requestId?: string | undefined; caller?: Pick<Principal, 'keyId' | 'sellerId'> | undefined }

const known = new WeakMap<object, Facts>()

/** Tells which route has answered a request of the API. */
export function noteAnswer(incoming: object, route: string, request: Request, response: Response): Response {
  known.set(incoming, { route, requestId: response.headers.get('request-id') ?? undefined, caller: callerOf(request) })
  return response
}

/** A page's path without its ids, codes and searches. */
function pageRoute(url: string): string {
  const path = url.replace(/[?#].*$/s, '')
  if (path === '/') return '/'
  const [page] = PAGES.exec(path) ?? []
  if (page === undefined) return 'other'
  return path.length > page.length + 1 ? `${page}/*` : page
}

/** Writes the line, counts the request and notes it when its answer has gone out, or its client has. */
export function observe(incoming: IncomingMessage, response: ServerResponse): void {
  const begun = performance.now()
  response.once('close', () => {
    const { route, requestId, caller } = known.get(incoming) ?? ({ route: pageRoute(incoming.url ?? '/') } as Facts)
    const method = METHODS.has(incoming.method ?? '') ? String(incoming.method) : 'other'
    const status = response.statusCode
    const passed = performance.now() - begun
    const ms = Math.round(passed * 10) / 10
    countRequest(route, method, status, passed / 1000)
    // A caller who was refused with 401 is one that was remembered, and whose key has ended since.
    if (caller && requestId && status !== 401) {
      const { sellerId, keyId } = caller
      keepRequest({ sellerId, keyId, requestId, at: new Date(Date.now() - passed), method, route, status, ms })
    }
    const line = {
      method,
      route,
      status,
      ms,
      requestId,
      seller: caller?.sellerId,
      key: caller?.keyId,
      ...(response.writableFinished ? {} : { cut: true }),
    }
    if (route.startsWith('/_next')) log().debug(line, 'request')
    else log().info(line, 'request')
  })
}
