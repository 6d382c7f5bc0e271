/** A client for another service with this API. It sends one request at a time, retries failed ones, and respects the rate limit. */
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import type { ResourceName } from '../../catalog'
import { parseRetryAfter } from '../../core/retry-after'
import { parseExact } from '../writers/clean'

/** Thrown if the other service cannot be reached, rejects a request, or does not respond like this API. The message explains the cause. */
export class SourceError extends Error {
  override name = 'SourceError'

  constructor(
    message: string,
    /** The error code in the response, if any. */
    readonly code?: string,
  ) {
    super(message)
  }
}

/** Thrown if the other service does not have a list, such as one that was added in a later release. */
export class MissingListError extends SourceError {
  override name = 'MissingListError'
}

/** A page of a list. `total` is the number of records in the whole list, or 0 if the service does not report it. */
type SourcePage = { hasMore: boolean; total: number; records: Record<string, unknown>[] }

export type Source = {
  /** Returns the page after the record with the ID `after`, or the first page. Newest records come first. @throws {SourceError} */
  list(resource: ResourceName, after: string | undefined): Promise<SourcePage>
}

type SourceOptions = {
  /** The service's URL, which may include a path. */
  from: string
  /** The API key. */
  key: string
  /** Called before each wait, with its duration in milliseconds and its reason. */
  onWait?(milliseconds: number, reason: string): void
  /** Waits for a number of milliseconds. Replaced in tests. */
  pause?(milliseconds: number): Promise<unknown>
}

/** The number of records per page. */
const PAGE = 100
/** The time limit of an attempt, in milliseconds. */
const RESPONSE_MS = 60_000
/** The maximum size of a response: a page of the longest records that an import accepts, with some margin. */
const MAX_RESPONSE_MEBIBYTES = 128
/** The maximum number of attempts for a request that fails for a temporary reason. */
const MAX_ATTEMPTS = 6
/** The maximum wait, in milliseconds, even if the response asks for more. */
const MAX_WAIT_MS = 10 * 60_000

const listSchema = z.object({ has_more: z.boolean(), total: z.number().default(0), data: z.array(z.record(z.string(), z.unknown())) })
const errorSchema = z.object({ message: z.string(), code: z.string().optional() })

/** Returns how long to wait after a failed attempt, in milliseconds: one second at first, then twice as long each time. */
const backoff = (attempt: number) => 1000 * 2 ** (attempt - 1)

/** Parses JSON. Returns undefined if it is invalid. */
const parseOrUndefined = (text: string): unknown => {
  try {
    return parseExact(text)
  } catch {
    return undefined
  }
}

/** Returns a response's body. @throws {SourceError} if it is too large */
async function readBody(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk)
    size += chunk.length
    if (size > MAX_RESPONSE_MEBIBYTES * 1024 * 1024)
      throw new SourceError(`The other service sent a response of more than ${MAX_RESPONSE_MEBIBYTES} MiB. Check the URL.`)
  }
  return new TextDecoder().decode(Buffer.concat(chunks))
}

function createRejectionError(status: number, text: string, resource: string): SourceError {
  const error = errorSchema.safeParse(parseOrUndefined(text)).data
  // Control characters could change what the operator's terminal shows.
  const reason = error ? `: ${error.message.replace(/\p{Cc}+/gu, ' ')}` : '.'
  if (status === 401 || status === 403)
    return new SourceError(`The other service rejected the key for ${resource} (${status})${reason}`, error?.code)
  if (status === 404) return new MissingListError(`The other service has no list of ${resource} (404). Check the URL.`, error?.code)
  return new SourceError(`The other service rejected the request for ${resource} (${status})${reason}`, error?.code)
}

function createRedirectError(location: string | null, url: string): SourceError {
  const to = location !== null && URL.canParse(location, url) ? ` to ${new URL(location, url).origin}` : ''
  return new SourceError(`The server redirected${to}. Use the final URL of its API, with https if possible.`)
}

/** Returns whether a request that got this response status might succeed on retry. */
const isTemporary = (status: number) => status === 429 || status === 408 || status >= 500

/** Creates a client for another service. */
export function openSource({ from, key, onWait = () => {}, pause = sleep }: SourceOptions): Source {
  const base = from.replace(/\/+$/, '')
  /** The earliest time of the next request, as a Unix timestamp in milliseconds. */
  let notBefore = 0

  async function wait(milliseconds: number, reason: string): Promise<void> {
    const bounded = Math.min(milliseconds, MAX_WAIT_MS)
    if (bounded <= 0) return
    onWait(bounded, reason)
    await pause(bounded)
  }

  /** Makes the next request wait until the rate limit is reset, if no requests are left. */
  function respectRateLimit(headers: Headers): void {
    const [left, reset] = [headers.get('ratelimit-remaining'), headers.get('ratelimit-reset')]
    notBefore = left === '0' && reset !== null && /^\d+$/.test(reset) ? Date.now() + Number(reset) * 1000 : 0
  }

  /** Returns the body of a successful response. Retries temporary failures. @throws {SourceError} */
  async function fetchText(url: string, resource: string): Promise<string> {
    for (let attempt = 1; ; attempt += 1) {
      await wait(notBefore - Date.now(), 'the rate limit of the other service')
      notBefore = 0
      let reason: string
      let pauseMs = backoff(attempt)
      try {
        const response = await fetch(url, {
          headers: { Authorization: `Bearer ${key}`, Accept: 'application/json', 'User-Agent': 'checkout-desk' },
          // Redirects are not followed, because they could send the key to another host.
          redirect: 'manual',
          signal: AbortSignal.timeout(RESPONSE_MS),
        })
        const text = await readBody(response)
        if (response.ok) {
          respectRateLimit(response.headers)
          return text
        }
        if (response.status >= 300 && response.status < 400) throw createRedirectError(response.headers.get('location'), url)
        if (!isTemporary(response.status)) throw createRejectionError(response.status, text, resource)
        reason = `response status ${response.status}`
        const seconds = parseRetryAfter(response.headers.get('retry-after') ?? '')
        if (seconds !== undefined) pauseMs = Math.round(seconds * 1000)
      } catch (error) {
        if (error instanceof SourceError) throw error
        reason = `no response: ${(error as { cause?: Error }).cause?.message ?? (error as Error).message}`
      }
      if (attempt === MAX_ATTEMPTS)
        throw new SourceError(
          `The other service is not available (${reason}). The records copied so far are kept. Run the command again to continue.`,
        )
      await wait(pauseMs, reason)
    }
  }

  return {
    async list(resource, after) {
      const query = new URLSearchParams({ limit: String(PAGE), ...(after === undefined ? {} : { starting_after: after }) })
      const text = await fetchText(`${base}/v1/${resource}/?${query}`, resource)
      const page = listSchema.safeParse(parseOrUndefined(text)).data
      if (!page) throw new SourceError(`The response of ${base} is not a list of ${resource}. Check the URL.`)
      return { hasMore: page.has_more, total: page.total, records: page.data }
    },
  }
}
