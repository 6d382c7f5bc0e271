/** Finds the route of a path for `server.ts`, which calls the handlers without the overhead of Next's router. */
import { posix } from 'node:path'
import { invalidPathRoute, notFoundRoute } from './fallback-route'
import type { Handler } from './methods'

/** The pattern that logs and metrics show for API paths without a route. */
export const UNKNOWN_PATTERN = '/v1/*'

/** The routes with their patterns, such as `/v1/tickets/validate/:qrCode`. A segment that begins with a colon matches any non-empty one. */
export type RouteTable = {
  pattern: string
  handle: Handler
  /** Parameters that the pattern does not contain. */
  params?: Record<string, string>
}[]

export type Match = {
  /** The pattern that the path matches. It contains no data from the request. */
  pattern: string
  handle: Handler
  params: Record<string, string>
}

/** Returns the parameters of a path that matches a pattern, or undefined if it does not match. */
function matchSegments(pattern: string[], segments: string[]): Record<string, string> | undefined {
  if (pattern.length !== segments.length) return undefined
  const params: Record<string, string> = {}
  for (const [index, expected] of pattern.entries()) {
    const segment = segments[index] ?? ''
    if (expected.startsWith(':') && segment !== '') params[expected.slice(1)] = segment
    else if (expected !== segment) return undefined
  }
  return params
}

/** Returns the decoded segments of a path, or undefined if they are not valid percent-encoded UTF-8. */
function decodePath(path: string): string[] | undefined {
  try {
    return path.split('/').map(decodeURIComponent)
  } catch {
    return undefined
  }
}

const NEXT_AUTH_PATH = /^\/api\/auth\/[^/]/

// Not specified: which variants of a path are equivalent.
/**
 * Returns true for every path under `/v1` and `/api` except next-auth's, and for paths that another router could treat as equivalent: with
 * extra slashes, dots, capitals or escapes. In production, none of them reaches Next, which would match some of them to its routes.
 */
function isApiPath(path: string): boolean {
  const decoded = (decodePath(path)?.join('/') ?? path).replaceAll('\\', '/').replace(/^\/+/, '/')
  const normalized = posix.normalize(decoded)
  // Also checks the path before normalization, because it can start under `/api` and leave it through `..`.
  return (
    !(NEXT_AUTH_PATH.test(path) && NEXT_AUTH_PATH.test(normalized)) &&
    [decoded, normalized].some((variant) => /^\/(api|v1)(\/|$)/i.test(variant))
  )
}

/**
 * Returns a function that matches a path as sent (percent-encoded, without the query) to its route. The function returns undefined for
 * paths that Next serves.
 */
export function createRouter(table: RouteTable): (path: string) => Match | undefined {
  const patterns = table.map(({ pattern, handle, params: fixed }) => ({ pattern, parts: pattern.split('/'), handle, fixed }))
  const exact = new Map(
    table.filter(({ pattern }) => !pattern.includes(':')).map((entry) => [entry.pattern, { ...entry, params: entry.params ?? {} }]),
  )
  return (path) => {
    // Finds the routes of most requests without decoding their paths.
    const match = exact.get(path)
    if (match) return match
    const isApi = isApiPath(path)
    const segments = decodePath(path.replace(/^\/api(?=\/v1(\/|$))/, '').replace(/(?<=[^/])\/$/, ''))
    if (!segments) return isApi ? { pattern: UNKNOWN_PATTERN, handle: invalidPathRoute.GET.handle, params: {} } : undefined
    for (const { pattern, parts, handle, fixed } of patterns) {
      const params = matchSegments(parts, segments)
      if (params) return { pattern, handle, params: { ...params, ...fixed } }
    }
    return isApi ? { pattern: UNKNOWN_PATTERN, handle: notFoundRoute.GET.handle, params: {} } : undefined
  }
}
