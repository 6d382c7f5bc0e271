/** Finds the route of a path: for `server.ts`, which calls the same handlers as Next's router does, without its cost. */
import { posix } from 'node:path'
import { invalidPathRoute } from './fallback-route'
import { METHODS, type Method, methodNotAllowed, type Route } from './methods'

/** What the log calls a path of the API at which nothing is. */
const OTHER = '/v1/*'

/** Paths below the origin, such as `/v1/tickets/validate/:qrCode`; a segment with a colon takes anything that is not empty. */
export type RouteTable = { pattern: string; route: Route }[]

type Match = {
  /** The path's pattern, which holds nothing of the request. */
  pattern: string
  route: Route
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

// Spec silent: which forms of a path are the same.
/**
 * True for a path that is the API's or that something else might take for one of the API's: with more slashes, dots, in capitals or
 * encoded. Such a path has one answer, ours; Next would match some of them to its own routes.
 */
export function isApiPath(path: string): boolean {
  const plain = (decodePath(path)?.join('/') ?? path).replaceAll('\\', '/').replace(/^\/+/, '/')
  // What begins as ours and climbs out again has no other answer than ours either.
  return [plain, posix.normalize(plain)].some((one) => /^\/(api\/+)?v1(\/|$)/i.test(one))
}

/**
 * @param table the routes; the first that fits wins
 * @param otherwise answers an API path that none fits
 * @returns a handler of a raw path (as it stood in the request, still encoded, without its query), or undefined where the path is not for us
 */
export function createRouter(table: RouteTable, otherwise: Route): (path: string) => Match | undefined {
  const patterns = table.map(({ pattern, route }) => ({ pattern, parts: pattern.split('/'), route }))
  const plain = new Map(table.filter(({ pattern }) => !pattern.includes(':')).map((entry) => [entry.pattern, { ...entry, params: {} }]))
  return (path) => {
    // As nearly every request has it, which needs no taking apart.
    const known = plain.get(path)
    if (known) return known
    const api = isApiPath(path)
    const segments = decodePath(path.replace(/^\/api(?=\/v1(\/|$))/, '').replace(/(?<=[^/])\/$/, ''))
    if (!segments) return api ? { pattern: OTHER, route: invalidPathRoute, params: {} } : undefined
    for (const { pattern, parts, route } of patterns) {
      const params = matchSegments(parts, segments)
      if (params) return { pattern, route, params }
    }
    return api ? { pattern: OTHER, route: otherwise, params: {} } : undefined
  }
}

const isMethod = (name: string): name is Method => (METHODS as readonly string[]).includes(name)

/** Answers a request by the route that was found for it. */
export async function callRoute({ route, params }: Pick<Match, 'route' | 'params'>, request: Request): Promise<Response> {
  if (isMethod(request.method)) return route[request.method](request, { params: Promise.resolve(params) })
  if (route.any) return route.any(request)
  // A route tells by its OPTIONS what it allows.
  const allow = (await route.OPTIONS(request)).headers.get('allow')
  return methodNotAllowed(request.method, allow ?? 'GET, HEAD, OPTIONS')
}
