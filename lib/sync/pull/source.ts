/** Another service that speaks this API, asked politely: one request at a time, and none before it is time. */
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import type { ResourceName } from '../../catalog'

/** The other service can't be asked, or does not answer as this API does. The message says what to do. */
export class SourceError extends Error {
  override name = 'SourceError'

  constructor(
    message: string,
    /** The code of its refusal, where it was one. */
    readonly code?: string,
  ) {
    super(message)
  }
}

export type SourcePage = { hasMore: boolean; total: number; records: Record<string, unknown>[] }

export type Source = {
  /** A page of the newest records behind the cursor. @throws {SourceError} */
  list(resource: ResourceName, after: string | undefined): Promise<SourcePage>
}

export type SourceOptions = {
  /** The service's address; a path in it is kept. */
  from: string
  key: string
  /** Told before each wait, with its length and why. */
  onWait?(milliseconds: number, why: string): void
  /** Waits; for tests, which have no time. */
  pause?(milliseconds: number): Promise<unknown>
}

const PAGE = 100
const ANSWER_MS = 60_000
/** So often a request that failed for a passing reason is made again. */
const TRIES = 6
/** Nobody waits longer than this on one answer's word. */
const MOST_WAIT_MS = 10 * 60_000

const answer = z.object({ has_more: z.boolean(), total: z.number().default(0), data: z.array(z.record(z.string(), z.unknown())) })
const refusal = z.object({ message: z.string(), code: z.string().optional() })

/** RFC 9110, 10.2.3: seconds, or a date. Undefined where it says neither. */
export function retryAfter(value: string | null, now = Date.now()): number | undefined {
  if (value === null) return undefined
  if (/^\s*\d+\s*$/.test(value)) return Number(value) * 1000
  const date = Date.parse(value)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

/** 1, 2, 4, 8, 16 seconds. */
const backoff = (tries: number) => 1000 * 2 ** (tries - 1)

const json = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function refused(status: number, text: string, resource: string): SourceError {
  const told = refusal.safeParse(json(text)).data
  const says = told ? `: ${told.message}` : '.'
  if (status === 401 || status === 403)
    return new SourceError(`The other service refuses the key for ${resource} (${status})${says}`, told?.code)
  if (status === 404) return new SourceError(`The other service has no list of ${resource} (404). Check the address.`, told?.code)
  return new SourceError(`The other service refuses to list ${resource} (${status})${says}`, told?.code)
}

function moved(location: string | null, url: string): SourceError {
  const to = location !== null && URL.canParse(location, url) ? ` to ${new URL(location, url).origin}` : ''
  return new SourceError(`The other service sends on${to}. Give the address where its API answers itself, with https where it has that.`)
}

/** Come again later, it says. */
const isPassing = (status: number) => status === 429 || status === 408 || status >= 500

export function openSource({ from, key, onWait = () => {}, pause = sleep }: SourceOptions): Source {
  const base = from.replace(/\/+$/, '')
  /** Before this no request is made. */
  let notBefore = 0

  async function wait(milliseconds: number, why: string): Promise<void> {
    const bounded = Math.min(milliseconds, MOST_WAIT_MS)
    if (bounded <= 0) return
    onWait(bounded, why)
    await pause(bounded)
  }

  /** A key with no requests left waits before it is told to. */
  function heed(headers: Headers): void {
    const [left, reset] = [headers.get('ratelimit-remaining'), headers.get('ratelimit-reset')]
    notBefore = left === '0' && reset !== null && /^\d+$/.test(reset) ? Date.now() + Number(reset) * 1000 : 0
  }

  async function ask(url: string, resource: string): Promise<string> {
    for (let tries = 1; ; tries += 1) {
      await wait(notBefore - Date.now(), 'its limit of requests')
      notBefore = 0
      let why: string
      let pauseMs = backoff(tries)
      try {
        const response = await fetch(url, {
          headers: { Authorization: `Bearer ${key}`, Accept: 'application/json', 'User-Agent': 'checkout-desk' },
          // Not followed: that could carry the key to another host.
          redirect: 'manual',
          signal: AbortSignal.timeout(ANSWER_MS),
        })
        const text = await response.text()
        if (response.ok) {
          heed(response.headers)
          return text
        }
        if (response.status >= 300 && response.status < 400) throw moved(response.headers.get('location'), url)
        if (!isPassing(response.status)) throw refused(response.status, text, resource)
        why = `it answers ${response.status}`
        pauseMs = retryAfter(response.headers.get('retry-after')) ?? pauseMs
      } catch (error) {
        if (error instanceof SourceError) throw error
        why = `no answer: ${(error as { cause?: Error }).cause?.message ?? (error as Error).message}`
      }
      if (tries === TRIES)
        throw new SourceError(`The other service can't be asked just now (${why}). What came until now is kept; run it again to go on.`)
      await wait(pauseMs, why)
    }
  }

  return {
    async list(resource, after) {
      const query = new URLSearchParams({ limit: String(PAGE), ...(after === undefined ? {} : { starting_after: after }) })
      const text = await ask(`${base}/v1/${resource}/?${query}`, resource)
      const page = answer.safeParse(json(text)).data
      if (!page) throw new SourceError(`What ${base} answers is no list of ${resource} as this API has it. Check the address.`)
      return { hasMore: page.has_more, total: page.total, records: page.data }
    },
  }
}
