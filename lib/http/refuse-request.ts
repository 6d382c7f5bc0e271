/**
 * Rejects requests for pages with an invalid path, host or method, and cross-site form submissions. Next would reject them in plain text,
 * with a 500, or not at all. Also responds to requests that Node's HTTP parser rejects.
 */
import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { ApiError } from '../core/errors'
import { closeAfterResponse, endConnection, isClosing, rejectIncomplete } from './connections'
import { getHeader, getPath, invalidHostError, isHost, newRequestId } from './exchange'
import { invalidPathError } from './fallback-route'
import { methodNotAllowedError } from './methods'
import { recordRejected } from './request-log'
import { errorReply } from './respond'
import { isSameOrigin } from './same-origin'

/** The maximum size of the request headers. RFC 6585, which defines the status code 431, specifies no limit; this is Node's default. */
export const MAX_HEADER_BYTES = 16 * 1024

/** The methods that pages accept. */
const PAGE_METHODS = ['GET', 'HEAD', 'POST', 'OPTIONS']
const ALLOW = PAGE_METHODS.join(', ')

/** The next-auth routes for signing in and out, with their methods. Other next-auth routes return 404, to reduce the attack surface. */
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

/** Matches a `.` or `..` segment, even if it is double-encoded. Next would resolve it and serve a path that was not throttled. */
const DOT_SEGMENT = /(?:^|[/\\])(?:\.|%2e){1,2}(?:[/\\]|$)/i

/** Matches the path of Next's image optimizer, which is blocked because no page uses it and resizing images is expensive. */
const IMAGE_OPTIMIZER = /^\/_next\/image(?:\/|$)/

/** Returns the methods allowed for a path, or undefined if the path is blocked. Does not check whether the path exists. */
function listMethods(path: string): string[] | undefined {
  if (DOT_SEGMENT.test(path) || IMAGE_OPTIMIZER.test(path)) return undefined
  if (!path.startsWith('/api/auth/')) return PAGE_METHODS
  const name = path.slice('/api/auth/'.length)
  return Object.hasOwn(AUTH_ROUTES, name) ? [String(AUTH_ROUTES[name])] : undefined
}

/** Returns the error to send if a request for a page must not reach Next, or undefined if it may. */
export function findPageError(incoming: IncomingMessage): ApiError | undefined {
  const { headers, method = 'GET' } = incoming
  const path = decodePath(getPath(incoming))
  if (path === undefined) return invalidPathError()
  const hosts = [getHeader(incoming, 'host'), headers['x-forwarded-host'] ?? null]
  if (!hosts.every((host) => host === null || isHost(String(host)))) return invalidHostError()
  const methods = listMethods(path)
  if (!methods) return new ApiError('route_not_found', 'This path does not exist. Check the URL.')
  if (!methods.includes(method)) return methodNotAllowedError(method, methods.join(', '))
  if (method === 'POST' && isSameOrigin({ get: (name) => headers[name]?.toString() }) === false)
    return new ApiError('scope_missing', 'This request came from another website. Open the page on this server and try again.')
  return undefined
}

/** An error of Node's HTTP parser, or a timeout or reset of a connection whose request has not arrived completely. */
type ParserError = NodeJS.ErrnoException & {
  /** The bytes that were being parsed. */
  rawPacket?: Buffer
  /** The position of the error in `rawPacket`. */
  bytesParsed?: number
}

/** Matches a method (RFC 9110, 9.1) and the space after it. */
const METHOD = /^[\w!#$%&'*+.^`|~-]+ /

/** Returns whether a request begins with a method. The parser reports an invalid method for any unexpected first byte, such as `}`. */
function hasMethod({ rawPacket, bytesParsed }: ParserError): boolean {
  if (!rawPacket) return true
  const text = rawPacket.toString('latin1')
  return METHOD.test(text.slice(text.lastIndexOf('\n', bytesParsed) + 1))
}

/** Returns the error to send for an error of the parser. */
function fromParserError(error: ParserError): ApiError {
  if (error.code === 'HPE_HEADER_OVERFLOW')
    return new ApiError('headers_too_large', `The request headers exceed ${MAX_HEADER_BYTES / 1024} KiB. Send fewer or shorter headers.`)
  if (error.code === 'HPE_INVALID_METHOD' && hasMethod(error)) {
    const message = 'This HTTP method is not supported. The methods of each path are listed at /docs.'
    return new ApiError('method_not_allowed', message, undefined, { Allow: ALLOW })
  }
  return new ApiError('path_invalid', 'This is not a valid HTTP/1.1 request. Check its request line, headers and body.')
}

/** Logs and counts a rejected request. If its headers were valid, it is logged and counted when its response is closed instead. */
function recordRejection(socket: Duplex, status: number, requestId: string | undefined, { code }: ParserError): void {
  if (!rejectIncomplete(socket, { status, ...(requestId !== undefined && { requestId }) })) recordRejected(status, requestId, code)
}

/**
 * Responds to a request that Node's HTTP parser rejected, or to a CONNECT, and closes the connection, as RFC 9112, 2.2 recommends. If the
 * response to an earlier request is in progress, it is the last one (RFC 9112, 9.6).
 */
export function respondToParserError(error: ParserError, socket: Duplex & { bytesRead?: number }): void {
  // Node reports the error again for each chunk that arrives afterward.
  if (isClosing(socket)) return
  const isTimeout = error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
  // A browser may have opened the connection in advance without sending anything. After a rejection, the socket is no longer writable.
  if (isTimeout && socket.bytesRead !== 0 && socket.writable) recordRejection(socket, 408, undefined, error)
  if (!socket.writable || error.code === 'ECONNRESET' || isTimeout) {
    socket.destroy()
    return
  }
  const id = newRequestId()
  const { status, headers, body } = errorReply(fromParserError(error), id)
  if (closeAfterResponse(socket)) {
    // The rejected request gets no response.
    rejectIncomplete(socket, { status })
    return
  }
  recordRejection(socket, status, id, error)
  const all = { ...headers, Connection: 'close', 'Content-Length': Buffer.byteLength(body) }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  endConnection(socket, `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`)
}

/**
 * Responds to a CONNECT as if the method were unknown. Node no longer handles the connection's errors and timeouts, so a reset would be an
 * uncaught exception, and a client that does not read an earlier response would keep the connection open.
 */
export function respondToConnect(_: IncomingMessage, socket: Duplex): void {
  // Node's types declare a Duplex, because `connect` events can be emitted for other streams.
  const connection = socket as Socket
  connection.on('error', () => {}).on('timeout', () => connection.destroy())
  respondToParserError({ name: 'CONNECT', message: '', code: 'HPE_INVALID_METHOD' }, connection)
}
