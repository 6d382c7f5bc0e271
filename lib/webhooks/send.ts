/** Sends a webhook: one POST request that follows no redirect and reaches no private address. */
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { useAgent } from 'request-filtering-agent'
import type { SignedMessage } from './sign'

/** The time limit of an attempt, in milliseconds. */
const TIMEOUT_MS = 15_000
/** The part of the response that is kept, in bytes. */
export const ANSWER_BYTES = 1024

export type Attempt = {
  /** The HTTP status; null if there was no response. */
  status: number | null
  /** Why there was no response. */
  error: string | null
  /** In milliseconds. */
  ms: number
  /** The start of the response's body. */
  answer: string | null
  /** The value of the header Retry-After. */
  retryAfter?: string | undefined
}

type Response = { status: number; answer: string; retryAfter: string | undefined }

const ERRORS: Record<string, string> = {
  ABORT_ERR: 'timeout',
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_reset',
  EAI_AGAIN: 'host_not_found',
  ENOTFOUND: 'host_not_found',
}

/** Returns the reason of a failed request as a code, which contains nothing from the network. */
function errorOf(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException
  if (/is not allowed\. Because/.test(message)) return 'private_address'
  if (/CERT|TLS|SSL|ALTNAME|SIGNATURE/.test(code)) return 'invalid_certificate'
  return ERRORS[code] ?? 'connection_failed'
}

function post(url: string, { headers, body }: SignedMessage, allowsPrivate: boolean, signal: AbortSignal): Promise<Response> {
  return new Promise((resolve, reject) => {
    const send = url.startsWith('https:') ? requestHttps : requestHttp
    const agent = useAgent(url, { allowPrivateIPAddress: allowsPrivate, allowMetaIPAddress: allowsPrivate })
    const request = send(url, { method: 'POST', agent, signal, headers: { ...headers, 'content-length': Buffer.byteLength(body) } })
    request.on('error', reject)
    request.on('response', (response) => {
      const chunks: Buffer[] = []
      let length = 0
      // The status has arrived, so whatever ends the body does not change the result.
      const finish = () => {
        const answer = Buffer.concat(chunks).subarray(0, ANSWER_BYTES).toString('utf8').replaceAll('\u0000', '')
        resolve({ status: response.statusCode ?? 0, answer, retryAfter: response.headers['retry-after'] })
        response.destroy()
      }
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        length += chunk.length
        if (length >= ANSWER_BYTES) finish()
      })
      response.on('end', finish)
      response.on('error', finish)
    })
    request.end(body)
  })
}

/**
 * Sends a message. The address is checked when it is connected to, so that a name cannot resolve to another one in between.
 *
 * @param allowsPrivate whether private, loopback and link-local addresses are allowed
 */
export async function sendMessage(url: string, message: SignedMessage, allowsPrivate: boolean, timeoutMs = TIMEOUT_MS): Promise<Attempt> {
  const start = performance.now()
  const passed = () => Math.round((performance.now() - start) * 10) / 10
  try {
    const { status, answer, retryAfter } = await post(url, message, allowsPrivate, AbortSignal.timeout(timeoutMs))
    return { status, error: null, ms: passed(), answer, retryAfter }
  } catch (error) {
    return { status: null, error: errorOf(error), ms: passed(), answer: null }
  }
}
