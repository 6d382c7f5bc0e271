/** Rejects requests with a JSON response that Next would reject in plain text or not at all: invalid paths, unknown methods, and malformed HTTP. */
import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { ApiError } from '../core/errors'
import { newRequestId, pathOf } from './exchange'
import { invalidPathError } from './fallback-route'
import { methodError } from './methods'
import { errorReply } from './respond'

/** The maximum size of the headers. RFC 6585 does not specify it; this is Node's default. */
export const MAX_HEADER_BYTES = 16 * 1024

const PAGE_METHODS = ['GET', 'HEAD', 'POST', 'OPTIONS']
const ALLOW = PAGE_METHODS.join(', ')

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path)
    return path.startsWith('/')
  } catch {
    return false
  }
}

/** Returns the error for a request outside the API's routes that must not reach Next, or undefined if the request is acceptable. */
export function pageRefusal(incoming: IncomingMessage): ApiError | undefined {
  if (!isDecodable(pathOf(incoming))) return invalidPathError()
  const method = incoming.method ?? 'GET'
  return PAGE_METHODS.includes(method) ? undefined : methodError(method, ALLOW)
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

/** Responds to bytes that Node's parser rejected, and closes the connection, as RFC 9112 requires. */
export function refuseConnection({ code }: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || code === 'ECONNRESET' || code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    socket.destroy()
    return
  }
  const { status, headers, body } = errorReply(parserRefusal(code), newRequestId())
  const all = { ...headers, Connection: 'close', 'Content-Length': Buffer.byteLength(body ?? '') }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`)
}
