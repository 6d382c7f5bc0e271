/** Logs, counts and records each request: its route, status, duration and caller, but never its content. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { resources } from '../catalog'
import { log } from '../core/log'
import { metrics } from '../core/metrics'
import { takeCaller, trackCallers } from './authenticate'
import { keepRequest } from './request-log'

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
/** The first segments of the pages' paths. The rest of a path can be an ID or a search. `observe.test.ts` compares them with the route tree. */
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
  'tickets',
])

/** The matched route and the response's ID, by request. */
const routes = new WeakMap<IncomingMessage, { route: string; requestId?: string | undefined }>()

/** Records which API route handles a request, and the request ID if it is known. */
export const noteRoute = (incoming: IncomingMessage, route: string, requestId?: string) => routes.set(incoming, { route, requestId })

/** Returns a page's path without IDs, codes or searches. */
function pageRoute(url: string): string {
  const [path = ''] = url.split(/[?#]/, 1)
  if (path === '/') return '/'
  const page = /^\/api\/auth(?=\/)/.exec(path)?.[0] ?? /^\/[^/]*/.exec(path)?.[0] ?? ''
  if (page !== '/api/auth' && !PAGES.has(page.slice(1))) return 'other'
  return path.length > page.length + 1 ? `${page}/*` : page
}

/** Returns a function that logs, counts and records a request once the response is sent or the client has disconnected. */
export function createObserver(): (incoming: IncomingMessage, response: ServerResponse) => void {
  trackCallers()
  const logger = log()
  const counters = metrics()
  const record = (incoming: IncomingMessage, response: ServerResponse, begun: number) => {
    const known = routes.get(incoming)
    const route = known?.route ?? pageRoute(incoming.url ?? '/')
    const requestId = known && (known.requestId ?? response.getHeader('request-id')?.toString())
    const caller = requestId === undefined ? undefined : takeCaller(requestId)
    const method = METHODS.has(incoming.method ?? '') ? String(incoming.method) : 'other'
    const status = response.statusCode
    const passed = performance.now() - begun
    const ms = Math.round(passed * 10) / 10
    counters?.requests.inc({ route, method, status })
    counters?.durations.observe({ route }, passed / 1000)
    // A 401 with a caller means that the key was cached and has been revoked or has expired since.
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
    if (route.startsWith('/_next')) logger.debug(line, 'request')
    else logger.info(line, 'request')
  }
  return (incoming, response) => {
    const begun = performance.now()
    response.once('close', () => record(incoming, response, begun))
  }
}
