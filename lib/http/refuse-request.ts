/**
 * Rejects, with a JSON response, requests that Next would reject in plain text, with a 500 or not at all: invalid paths, hosts and methods,
 * requests from other sites, and malformed HTTP.
 */
import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { ApiError } from '../core/errors'
import { getHeader, getPath, invalidHostError, isHost, newRequestId } from './exchange'
import { invalidPathError } from './fallback-route'
import { methodNotAllowedError } from './methods'
import { errorReply } from './respond'
import { isSameOrigin } from './same-origin'

/** The maximum size of the request headers. RFC 6585, which defines the status 431, specifies none; this is Node's default. */
export const MAX_HEADER_BYTES = 16 * 1024

const PAGE_METHODS = ['GET', 'HEAD', 'POST', 'OPTIONS']
const ALLOW = PAGE_METHODS.join(', ')

/** The next-auth routes for signing in and out, with their methods. Its other routes return 404, so that they cannot be attacked. */
const AUTH_ROUTES: Record<string, string> = {
  csrf: 'GET',
  providers: 'GET',
  session: 'GET',
  'callback/credentials': 'POST',
  signout: 'POST',
  // Redirects to the sign-in page.
  signin: 'GET',
}

/** Returns the decoded path without a trailing slash, or undefined if it is malformed. */
function decodePath(path: string): string | undefined {
  try {
    const decoded = decodeURIComponent(path)
    return decoded.startsWith('/') ? decoded.replace(/(?<=.)\/$/, '') : undefined
  } catch {
    return undefined
  }
}

/** Matches `.` and `..` segments, including double-escaped ones. Next would resolve them to a path that the throttles have not seen. */
const DOTS = /(?:^|[/\\])(?:\.|%2e){1,2}(?:[/\\]|$)/i

/** Matches the path of Next's image optimizer, which no page uses. Resizing an image takes longer than rendering a page. */
const IMAGES = /^\/_next\/image(?:\/|$)/

/** Returns the methods of a page or a next-auth route, or undefined if there is no such route. */
function listMethods(path: string): string[] | undefined {
  if (DOTS.test(path) || IMAGES.test(path)) return undefined
  if (!path.startsWith('/api/auth/')) return PAGE_METHODS
  const name = path.slice('/api/auth/'.length)
  return Object.hasOwn(AUTH_ROUTES, name) ? [String(AUTH_ROUTES[name])] : undefined
}

/** Returns the error for a request outside the API's routes that must not reach Next, or undefined if the request is acceptable. */
export function pageRefusal(incoming: IncomingMessage): ApiError | undefined {
  const { headers, method = 'GET' } = incoming
  const path = decodePath(getPath(incoming))
  if (path === undefined) return invalidPathError()
  const hosts = [getHeader(incoming, 'host'), headers['x-forwarded-host'] ?? null]
  if (!hosts.every((host) => host === null || isHost(String(host)))) return invalidHostError()
  const methods = listMethods(path)
  if (!methods) return new ApiError('route_not_found', 'There is nothing at this path. Sign in at /sign-in.')
  if (!methods.includes(method)) return methodNotAllowedError(method, methods.join(', '))
  if (method === 'POST' && isSameOrigin({ get: (name) => headers[name]?.toString() }) === false)
    return new ApiError('scope_missing', 'This request came from another website. Open the page on this server and try again.')
  return undefined
}

function parserRefusal(code: string | undefined): ApiError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new ApiError('headers_too_large', `The request headers exceed ${MAX_HEADER_BYTES / 1024} KiB. Send fewer or shorter headers.`)
    case 'HPE_INVALID_METHOD':
      return new ApiError('method_not_allowed', `This method is not allowed here. Use ${ALLOW}.`, undefined, { Allow: ALLOW })
    default:
      return new ApiError('path_invalid', 'This is not a valid HTTP/1.1 request.')
  }
}

/** Responds to bytes that Node's parser rejected, and closes the connection, as RFC 9112, 2.2 recommends. */
export function refuseConnection({ code }: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || code === 'ECONNRESET' || code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    socket.destroy()
    return
  }
  const { status, headers, body } = errorReply(parserRefusal(code), newRequestId())
  const all = { ...headers, Connection: 'close', 'Content-Length': Buffer.byteLength(body) }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`)
}
