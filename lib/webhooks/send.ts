/** Sends a webhook: one POST request that follows no redirects and reaches no private addresses, unless they are allowed. */
import { resolve4, resolve6 } from 'node:dns/promises'
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { isPublicAddress } from '../core/public-address'
import type { SignedMessage } from './sign'

/** The time limit of an attempt, in milliseconds. */
const TIMEOUT_MS = 15_000
/** The maximum number of bytes of a response body that are stored. */
const MAX_RESPONSE_BYTES = 1024

export type Attempt = {
  /** The HTTP status; null if there was no response. */
  status: number | null
  /** A code such as `timeout` if there was no response; otherwise null. */
  error: string | null
  /** The duration in milliseconds. */
  ms: number
  /** The start of the response body; null if there was no response. */
  responseBody: string | null
  /** The value of the header Retry-After. */
  retryAfter?: string | undefined
}

type Response = { status: number; responseBody: string; retryAfter: string | undefined }

const blockedError = (code: 'PRIVATE' | 'INSECURE' = 'PRIVATE') => Object.assign(new Error('Webhooks are not sent to this URL.'), { code })

const ERRORS: Record<string, string> = {
  PRIVATE: 'private_address',
  INSECURE: 'insecure_url',
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_reset',
  EAI_AGAIN: 'host_not_found',
  ENOTFOUND: 'host_not_found',
}

/** Returns one of a fixed set of codes for a failed request, so that no data from the network is stored. */
function toErrorCode(error: unknown): string {
  const { code = '', name } = error as NodeJS.ErrnoException
  if (name === 'AbortError') return 'timeout'
  if (/CERT|TLS|SSL|ALTNAME|SIGNATURE/.test(code)) return 'invalid_certificate'
  return ERRORS[code] ?? 'connection_failed'
}

/**
 * Looks up a name without the thread pool. With Node's default, a process runs only two lookups at a time, and they cannot be aborted:
 * names whose servers do not respond would keep every other name from being looked up, including the database's.
 */
const lookUp: LookupFunction = (host, { all = false }, done) => {
  const find = async (resolve: typeof resolve4, family: 4 | 6) =>
    (await resolve(host).catch(() => [])).map((address) => ({ address, family }))
  void Promise.all([find(resolve4, 4), find(resolve6, 6)]).then((found) => {
    const addresses = found.flat()
    const [first] = addresses
    if (addresses.some(({ address }) => !isPublicAddress(address))) done(blockedError(), '')
    else if (!first) done(Object.assign(new Error('The name has no address.'), { code: 'ENOTFOUND' }), '')
    else if (all) done(null, addresses)
    else done(null, first.address, first.family)
  })
}

function post(url: string, { headers, body }: SignedMessage, allowsPrivate: boolean, signal: AbortSignal): Promise<Response> {
  return new Promise((resolve, reject) => {
    const host = new URL(url).hostname.replace(/^\[|\]$/g, '')
    // The endpoint may have been created while HTTP was allowed.
    if (!allowsPrivate && !url.startsWith('https:')) throw blockedError('INSECURE')
    // Node looks up only names, so `lookUp` does not check a host that is an address.
    if (!allowsPrivate && isIP(host) && !isPublicAddress(host)) throw blockedError()
    const send = url.startsWith('https:') ? requestHttps : requestHttp
    // Private names can be in files, such as /etc/hosts, that only Node's default lookup reads.
    const lookup = allowsPrivate ? {} : { lookup: lookUp }
    const sent = { ...headers, 'content-length': Buffer.byteLength(body) }
    const request = send(url, { method: 'POST', agent: false, signal, headers: sent, ...lookup })
    let finish: (() => void) | undefined
    // If a request is aborted during its response, it emits an error before the response does.
    const fail = (error: unknown) => (finish ? finish() : reject(error))
    request.on('error', fail)
    // Node does not emit `error` for every aborted request.
    signal.addEventListener('abort', () => fail(signal.reason), { once: true })
    // Without this listener, Node would close the connection and emit neither an error nor a response.
    request.on('upgrade', ({ statusCode = 0 }, socket) => {
      socket.destroy()
      resolve({ status: statusCode, responseBody: '', retryAfter: undefined })
    })
    request.on('response', (response) => {
      const chunks: Buffer[] = []
      let length = 0
      // The status has arrived, so how the body ends does not change the result.
      const end = () => {
        const responseBody = Buffer.concat(chunks).subarray(0, MAX_RESPONSE_BYTES).toString('utf8').replaceAll('\u0000', '')
        resolve({ status: response.statusCode ?? 0, responseBody, retryAfter: response.headers['retry-after'] })
        response.destroy()
      }
      finish = end
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        length += chunk.length
        if (length >= MAX_RESPONSE_BYTES) end()
      })
      response.on('end', end)
      response.on('error', end)
    })
    request.end(body)
  })
}

/**
 * Sends a message, and returns the result; never throws. Checks the IP address at connection time, to prevent DNS rebinding.
 *
 * @param allowsPrivate whether HTTP, and private, loopback and link-local addresses are allowed
 * @param timeoutMs the time limit in milliseconds
 */
export async function sendMessage(url: string, message: SignedMessage, allowsPrivate: boolean, timeoutMs = TIMEOUT_MS): Promise<Attempt> {
  const start = performance.now()
  const elapsedMs = () => Math.round((performance.now() - start) * 10) / 10
  const timeout = new AbortController()
  const timer = setTimeout(() => timeout.abort(), timeoutMs)
  try {
    const { status, responseBody, retryAfter } = await post(url, message, allowsPrivate, timeout.signal)
    return { status, error: null, ms: elapsedMs(), responseBody, retryAfter }
  } catch (error) {
    return { status: null, error: toErrorCode(error), ms: elapsedMs(), responseBody: null }
  } finally {
    clearTimeout(timer)
  }
}
