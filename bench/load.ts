/** Generates load with autocannon and times single requests. */
import { Agent, request as sendRequest } from 'node:http'
import autocannon from 'autocannon'
import { percentile } from '@/testing/percentile'

export type Sample = {
  /** Requests per second over the entire run. */
  perSecond: number
  /** The median and 99th percentile of the response times in milliseconds. */
  median: number
  p99: number
}

/** Returns the median. For an even number of values, returns the lower of the two middle values. */
export const median = (values: readonly number[]) => percentile(values, 0.5)

export type Target = { url: string; headers?: Record<string, string>; method?: 'GET' | 'POST' }

type LoadOptions = {
  connections: number
  /** Either a duration or a number of requests. */
  seconds?: number
  requests?: number
  /** Returns the path of the next request. Set if the requests have different paths. */
  nextPath?: () => string
  /** Text that every response must contain. */
  expects?: string
}

/**
 * Sends requests over several concurrent connections.
 *
 * @throws if any response is not a 2xx with the expected text, because fast errors would pass for a good result
 */
export async function load(
  { url, headers = {}, method = 'GET' }: Target,
  { connections, seconds, requests, nextPath, expects }: LoadOptions,
): Promise<Sample> {
  const times: number[] = []
  const options: autocannon.Options = {
    url,
    method,
    headers,
    connections,
    ...(requests === undefined ? { duration: seconds ?? 1 } : { amount: requests }),
    timeout: 10,
    ...(nextPath && { requests: [{ setupRequest: (request) => ({ ...request, path: nextPath() }) }] }),
    ...(expects !== undefined && { verifyBody: (body) => String(body).includes(expects) }),
  }
  const { non2xx, errors, timeouts, mismatches, duration } = await new Promise<autocannon.Result>((resolve, reject) => {
    const run = autocannon(options, (error, result) => (error ? reject(error) : resolve(result)))
    // Collect the times here because autocannon's own histogram has a resolution of only one millisecond.
    run.on('response', (_client, _status, _bytes, time) => times.push(time))
  })
  if (non2xx + errors + timeouts + mismatches > 0 || times.length === 0)
    throw new Error(
      `${url}: of ${times.length} responses, ${non2xx} were not 2xx and ${mismatches} had an unexpected body; ${errors} errors, ${timeouts} timeouts`,
    )
  return { perSecond: times.length / duration, median: median(times), p99: percentile(times, 0.99) }
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 })

/** A response with the times until its first and last byte. */
export type TimedResponse = { firstByteMs: number; totalMs: number; body: string }

/** Sends a request over a keep-alive connection and times its response. */
export function timeRequest({ url, headers = {} }: Target): Promise<TimedResponse> {
  return new Promise((resolve, reject) => {
    const start = performance.now()
    sendRequest(url, { agent, headers }, (response) => {
      let firstByteMs = 0
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => {
        firstByteMs ||= performance.now() - start
        chunks.push(chunk)
      })
      response.on('end', () => {
        const body = Buffer.concat(chunks).toString()
        if (response.statusCode === 200) resolve({ firstByteMs, totalMs: performance.now() - start, body })
        else reject(new Error(`${url}: ${response.statusCode} ${body.slice(0, 300)}`))
      })
      response.on('error', reject)
    })
      .on('error', reject)
      .end()
  })
}
