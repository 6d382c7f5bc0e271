/** Writes one log line per request, counts it, and enters it in the request log: route, status, duration, caller; never content. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { resources } from '../catalog'
import { log } from '../core/log'
import { countRequest } from '../core/metrics'
import { takeCaller, trackCallers } from './authenticate'
import { keepRequest } from './request-log'

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
/** The first segments of the pages' paths; the rest of a path may be an id or a search. `observe.test.ts` compares them with the route tree. */
export const PAGES = new Set([
  ...Object.keys(resources),
  '_next',
  'customers',
  'docs',
  'door',
  'find',
  'invite',
  'overview',
  'settings',
  'sign-in',
])

/** By request: the matched route, and the id that the response carries. */
const routes = new WeakMap<IncomingMessage, { route: string; requestId?: string | undefined }>()

/** Notes which route of the API answers a request, and with which id if that is known. */
export const noteRoute = (incoming: IncomingMessage, route: string, requestId?: string) => routes.set(incoming, { route, requestId })

/** Returns a page's path without ids, codes and searches. */
function pageRoute(url: string): string {
  const [path = ''] = url.split(/[?#]/, 1)
  if (path === '/') return '/'
  const page = /^\/api\/auth(?=\/)/.exec(path)?.[0] ?? /^\/[^/]*/.exec(path)?.[0] ?? ''
  if (page !== '/api/auth' && !PAGES.has(page.slice(1))) return 'other'
  return path.length > page.length + 1 ? `${page}/*` : page
}

/** Writes the line, counts the request and logs it once the response is sent or the client is gone. */
export function observe(incoming: IncomingMessage, response: ServerResponse): void {
  const begun = performance.now()
  trackCallers()
  response.once('close', () => {
    const known = routes.get(incoming)
    const route = known?.route ?? pageRoute(incoming.url ?? '/')
    const requestId = known && (known.requestId ?? response.getHeader('request-id')?.toString())
    const caller = requestId === undefined ? undefined : takeCaller(requestId)
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
