/**
 * Defines minimal request and reply types for the handlers, converts them to and from Node and Fetch API objects, and parses query strings.
 * Node's objects are converted directly, because creating the platform's `Request` and `Response` takes longer than serving a short list.
 */
import { randomFillSync } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { z } from 'zod'
import { EXCLUSIVE } from '../catalog/list-params'
import { ApiError } from '../core/errors'
import { clientAddress, type TrustedProxies } from './client-address'
import { disposeOfBody } from './connections'
import type { ApiRefusal } from './delay-refusal'
import { countUnread, reuseMemory } from './unread-responses'

export type RequestHeaders = Pick<Headers, 'get' | 'has'>

export type ApiRequest = {
  /** The request ID, which is also in the response's Request-Id header and in the log. */
  id: string
  method: string
  url: string
  headers: RequestHeaders
  /** The client's IPv4 address or IPv6 network, computed when this property is read; absent under Next's own server. */
  address?: string
  body: AsyncIterable<Uint8Array> | null
}

export type ReplyBody = string | Uint8Array<ArrayBuffer> | null

export type Reply = {
  status: number
  headers: Record<string, string>
  body: ReplyBody
  /** The seller whose limit on unread responses the body counts toward. */
  sellerId?: string
  /** The limit on immediate replies that this one counts toward. Undefined if it is never delayed. */
  refusal?: ApiRefusal | undefined
}

const ID_BYTES = 12
/** Random bytes for 256 IDs. Generating all of them takes about as long as generating those for one ID. */
const randomPool = Buffer.alloc(ID_BYTES * 256)
let usedBytes = randomPool.length

/** Returns a new request ID: `req_` followed by 24 hexadecimal digits. */
export function newRequestId(): string {
  if (usedBytes === randomPool.length) {
    randomFillSync(randomPool)
    usedBytes = 0
  }
  usedBytes += ID_BYTES
  return `req_${randomPool.toString('hex', usedBytes - ID_BYTES, usedBytes)}`
}

// Not specified: response headers. Records contain personal data, so caches must not store them.
export const headersFor = (requestId: string) => ({
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'no-store',
  'Request-Id': requestId,
  'X-Content-Type-Options': 'nosniff',
})

/** Converts the platform's request, for route handlers that Next calls. */
export const fromRequest = ({ method, url, headers, body }: Request): ApiRequest => ({ id: newRequestId(), method, url, headers, body })

/** Returns the length of a body in bytes. */
export const getLength = (body: ReplyBody): number => Buffer.byteLength(body ?? '')

export const toResponse = ({ status, headers, body }: Reply): Response => new Response(body, { status, headers })

const HOST = /^([a-z0-9._-]+|\[[0-9a-f:.]+\])(:\d{1,5})?$/i
/** The maximum length of a domain name (RFC 1035, 2.3.4) with a port. Limited, because a page repeats the host hundreds of times. */
const MAX_HOST = 253 + ':65535'.length

/** The last valid host. Nearly all requests have the same host, and parsing it takes 1% of the time that a list takes. */
let lastHost = ''

/** Returns whether the value of a Host header is a host name or an address, with an optional port. */
export function isHost(host: string): boolean {
  if (host === lastHost && host !== '') return true
  const isValid = host.length <= MAX_HOST && HOST.test(host) && URL.canParse(`http://${host}`)
  if (isValid) lastHost = host
  return isValid
}

export const invalidHostError = () =>
  new ApiError('path_invalid', 'The Host header must contain exactly one valid host name. Set it to the name of this server.')

/** Returns the path and query as sent, without the origin of a target in absolute form (RFC 9112, 3.2.2). */
export const getTarget = ({ url = '/' }: IncomingMessage): string =>
  url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?#]*\/?|^$/i, '/')

/** Returns the path as sent, without its query. */
export const getPath = (incoming: IncomingMessage): string => getTarget(incoming).replace(/[?#].*$/s, '') || '/'

/** Returns a header, joining repeated ones. Node keeps only the first host or API key, but a request with two of them must be rejected. */
export function getHeader({ rawHeaders }: IncomingMessage, name: string): string | null {
  const wanted = name.toLowerCase()
  let value: string | null = null
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const rawName = rawHeaders[index] ?? ''
    if (rawName.length !== wanted.length || rawName.toLowerCase() !== wanted) continue
    const next = rawHeaders[index + 1] ?? ''
    value = value === null ? next : `${value}, ${next}`
  }
  return value
}

/** A request to `server.ts`. This is a class because V8 takes microseconds to create an object literal with getters. */
class IncomingRequest implements ApiRequest {
  readonly method: string
  readonly url: string
  readonly headers: RequestHeaders

  constructor(
    private readonly incoming: IncomingMessage,
    readonly id: string,
    host: string,
    private readonly proxies: TrustedProxies | undefined,
  ) {
    this.method = incoming.method ?? 'GET'
    this.url = `http://${host}${getTarget(incoming)}`
    this.headers = { get: (name) => getHeader(incoming, name), has: (name) => getHeader(incoming, name) !== null }
  }

  get address() {
    return clientAddress(this.incoming, this.proxies)
  }

  get body() {
    // Keeps the connection open for the response if the handler stops reading.
    return this.incoming.iterator({ destroyOnReturn: false })
  }
}

/**
 * Converts Node's request.
 *
 * @param id the request ID
 * @param proxies the trusted proxies; undefined to ignore X-Forwarded-For
 * @throws {ApiError} `path_invalid` if the Host header is repeated or not a host name
 */
export function toApiRequest(incoming: IncomingMessage, id: string, proxies: TrustedProxies | undefined): ApiRequest {
  const host = getHeader(incoming, 'host') || 'localhost'
  if (!isHost(host)) throw invalidHostError()
  return new IncomingRequest(incoming, id, host, proxies)
}

/** Sends a reply, unless the client has disconnected. If another response has already started, closes the connection instead. */
export function writeReply(incoming: IncomingMessage, outgoing: ServerResponse, { status, headers, body, sellerId }: Reply): void {
  if (outgoing.destroyed) return
  if (outgoing.headersSent) {
    outgoing.destroy()
    return
  }
  disposeOfBody(incoming, outgoing)
  if (body === null) {
    outgoing.writeHead(status, headers).end()
    return
  }
  // A buffer can be part of a larger one, which stays in memory until the body is sent.
  const bytes = typeof body === 'string' ? Buffer.byteLength(body) : body.buffer.byteLength
  if (sellerId !== undefined) outgoing.once('close', countUnread(sellerId, bytes))
  outgoing.writeHead(status, { ...headers, 'Content-Length': getLength(body) })
  if (typeof body === 'string') outgoing.end(body)
  // Node runs the callback when the operating system has copied the body, or the connection has been closed.
  else outgoing.end(body, () => reuseMemory(body))
}

/** Decodes the name or the value of a parameter. @param subject the beginning of the error message, such as `A parameter name` */
function decodeParam(text: string, subject: string, param?: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw new ApiError('parameter_invalid', `${subject} is not valid percent-encoded UTF-8. Encode a literal % as %25.`, param)
  }
}

/** Returns the first 100 characters of a name, for an error message, without splitting a surrogate pair. */
export const truncateName = (name: string) => [...name].slice(0, 100).join('')

// Not specified: parameters that are unknown, repeated or empty, or cannot be decoded.
/** Returns the decoded parameters, without those that have an empty value. @param allowed the names of the operation's parameters */
function readQuery(url: string, allowed: string[]): Record<string, string> {
  const [withoutFragment = ''] = url.split('#')
  const start = withoutFragment.indexOf('?')
  const query = start === -1 ? '' : withoutFragment.slice(start + 1)
  const seen = new Set<string>()
  const values: Record<string, string> = {}
  for (const pair of query.split('&')) {
    if (pair === '') continue
    const separator = pair.indexOf('=')
    const name = decodeParam(separator === -1 ? pair : pair.slice(0, separator), 'A parameter name')
    if (!allowed.includes(name)) {
      const message = allowed.length > 0 ? `Use ${allowed.join(', ')}.` : 'This operation takes no query parameters.'
      throw new ApiError('parameter_unknown', `Unknown parameter '${truncateName(name)}'. ${message}`, truncateName(name))
    }
    if (seen.has(name)) throw new ApiError('parameter_repeated', `The parameter '${name}' was sent more than once. Send it once.`, name)
    seen.add(name)
    const value = separator === -1 ? '' : decodeParam(pair.slice(separator + 1), `The parameter '${name}'`, name)
    if (value !== '') values[name] = value
  }
  return values
}

/** The query schema of operations that take no query parameters. */
export const noParams = z.strictObject({})

/**
 * Parses a URL's query string, and validates it with a schema that accepts strings.
 *
 * @throws {ApiError} `parameter_unknown`, `parameter_repeated`, `parameters_exclusive` or `parameter_invalid`
 */
export function parseQuery<T>(url: string, schema: z.ZodObject & z.ZodType<T>): T {
  const values = readQuery(url, Object.keys(schema.shape))
  for (const [first, second] of EXCLUSIVE)
    if (values[first] !== undefined && values[second] !== undefined)
      throw new ApiError('parameters_exclusive', `Send either ${first} or ${second}, not both.`, second)
  const result = schema.safeParse(values)
  if (result.success) return result.data
  const [issue] = result.error.issues
  const name = String(issue?.path[0])
  throw new ApiError('parameter_invalid', `${name} ${issue?.message}.`, name)
}

/** Returns the idempotency key of a request, or undefined if it has none. @throws {ApiError} `parameter_invalid` if it is malformed */
export function readIdempotencyKey(headers: RequestHeaders): string | undefined {
  const key = headers.get('Idempotency-Key')
  if (key === null) return undefined
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key
  throw new ApiError('parameter_invalid', 'The Idempotency-Key header must contain 1 to 255 visible ASCII characters.', 'Idempotency-Key')
}
