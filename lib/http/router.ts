/** Finds the route of a path for `server.ts`, which calls the same handlers as Next's router without its cost. */
import { posix } from 'node:path'
import { invalidPathRoute, notFoundRoute } from './fallback-route'
import { type Endpoint, isMethod, methodError } from './methods'
import type { ApiRequest, Reply } from './reply'
import { errorReply, newRequestId } from './respond'

/** The pattern, in logs and metrics, of every API path without a route. */
export const UNKNOWN_PATTERN = '/v1/*'

/** Paths such as `/v1/tickets/validate/:qrCode`; a segment with a colon matches anything that is not empty. */
export type RouteTable = { pattern: string; endpoint: Endpoint }[]

export type Match = {
  /** The path's pattern, which contains nothing of the request. */
  pattern: string
  endpoint: Endpoint
  params: Record<string, string>
}

function matchSegments(pattern: string[], segments: string[]): Record<string, string> | undefined {
  if (pattern.length !== segments.length) return undefined
  const params: Record<string, string> = {}
  for (const [at, expected] of pattern.entries()) {
    const segment = segments[at] ?? ''
    if (expected.startsWith(':') && segment !== '') params[expected.slice(1)] = segment
    else if (expected !== segment) return undefined
  }
  return params
}

function decodePath(path: string): string[] | undefined {
  try {
    return path.split('/').map(decodeURIComponent)
  } catch {
    return undefined
  }
}

const AUTH = /^\/api\/auth\/[^/]/

// Spec silent: which forms of a path are the same.
/**
 * True for every path under `/v1` and `/api` but next-auth's, and for what another router could take for one: with more slashes, with
 * dots, in capitals or encoded. Next would match some of those to its own routes; here each has one answer.
 */
export function isApiPath(path: string): boolean {
  const plain = (decodePath(path)?.join('/') ?? path).replaceAll('\\', '/').replace(/^\/+/, '/')
  const normal = posix.normalize(plain)
  // The plain form too: a path that starts as the API's and climbs out again is refused as well.
  return !(AUTH.test(path) && AUTH.test(normal)) && [plain, normal].some((one) => /^\/(api|v1)(\/|$)/i.test(one))
}

/**
 * @param table the routes
 * @returns a function that finds the match of a path as sent (encoded, without its query), or undefined if Next answers that path
 */
export function createRouter(table: RouteTable): (path: string) => Match | undefined {
  const patterns = table.map(({ pattern, endpoint }) => ({ pattern, parts: pattern.split('/'), endpoint }))
  const plain = new Map(table.filter(({ pattern }) => !pattern.includes(':')).map((entry) => [entry.pattern, { ...entry, params: {} }]))
  return (path) => {
    // Nearly every request sends the plain form.
    const known = plain.get(path)
    if (known) return known
    const api = isApiPath(path)
    const segments = decodePath(path.replace(/^\/api(?=\/v1(\/|$))/, '').replace(/(?<=[^/])\/$/, ''))
    if (!segments) return api ? { pattern: UNKNOWN_PATTERN, endpoint: invalidPathRoute.GET.endpoint, params: {} } : undefined
    for (const { pattern, parts, endpoint } of patterns) {
      const params = matchSegments(parts, segments)
      if (params) return { pattern, endpoint, params }
    }
    return api ? { pattern: UNKNOWN_PATTERN, endpoint: notFoundRoute.GET.endpoint, params: {} } : undefined
  }
}

/** Calls the handler that matches the request's method. */
export async function callEndpoint({ endpoint, params }: Match, request: ApiRequest): Promise<Reply> {
  if (isMethod(request.method)) return endpoint[request.method](request, params)
  return endpoint.any?.(request, params) ?? errorReply(methodError(request.method, endpoint.allow), newRequestId())
}
