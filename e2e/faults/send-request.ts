/** Sends HTTP requests over keep-alive connections. */
import { Agent, request } from 'node:http'

export type TimedResponse = {
  /** 0 if no complete response arrived. */
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
  /** When the request was sent and when it completed or failed, as returned by `performance.now()`. */
  startedAt: number
  endedAt: number
}

export type RequestOptions = { method?: string; headers?: Record<string, string>; body?: string; agent?: Agent }

/** Creates an agent with keep-alive connections. */
export const keepAlive = (maxSockets = 1) => new Agent({ keepAlive: true, maxSockets })

/** The timeout in milliseconds: longer than any response may take. */
const TIMEOUT_MS = 20_000

/** Sends a request. Never rejects: resolves with status 0 if no complete response arrived. */
export function sendRequest(
  url: string,
  path: string,
  { method = 'GET', headers = {}, body, agent }: RequestOptions = {},
): Promise<TimedResponse> {
  const startedAt = performance.now()
  return new Promise((resolve) => {
    const fail = () => resolve({ status: 0, headers: {}, text: '', startedAt, endedAt: performance.now() })
    const sent = request(`${url}${path}`, { method, headers, agent, timeout: TIMEOUT_MS }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', fail)
      response.on('close', () => {
        if (!response.complete) return fail()
        const text = Buffer.concat(chunks).toString()
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, startedAt, endedAt: performance.now() })
      })
    })
    sent.on('timeout', () => sent.destroy())
    sent.on('error', fail)
    sent.end(body)
  })
}
