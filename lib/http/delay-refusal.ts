/** Delays refusals when many are sent, to slow down clients that retry immediately, and limits how many requests from one address wait. */
import type { ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import { createQuota } from '@/db/semaphore'
import { consume } from './rate-limit'

/** The number of refusals of one kind that are sent immediately, per second. Browsers and integrations rarely cause more. */
const IMMEDIATE_PER_SECOND = 50
/** The same limit for long uploads. */
const IMMEDIATE_UPLOADS_PER_SECOND = 5
/** The same limit for API requests with a valid key, per address. */
const IMMEDIATE_PER_API_ADDRESS = 10
/**
 * The minimum delay of further refusals, and the maximum random addition to it, in milliseconds. The addition keeps clients from retrying
 * at the same moment.
 */
const DELAY_MS = 1_000
const JITTER_MS = 1_000
/** The maximum number of waiting requests per queue, and per address in each of the two queues. Others are refused immediately. */
const MAX_WAITING = 2_000
const MAX_PER_ADDRESS = 20
const MAX_REFUSALS_PER_ADDRESS = 500

/** Adds a request to the queue of a visitor's address. @returns a function that removes it, or undefined if too many are waiting */
export const joinQueue = createQuota('visitors', { total: MAX_WAITING, perAddress: MAX_PER_ADDRESS }, 'waiting')

/** Creates a limiter for refusals that are sent immediately. */
const createBudget = (perSecond: number) => new RateLimiterMemory({ points: perSecond, duration: 1 })

/** The limits for one kind of refusal. */
type Kind = {
  budget: RateLimiterMemory
  /** Whether each address has its own budget. */
  isPerAddress?: boolean
  join: typeof joinQueue
}

const joinRefusals = createQuota('refusals', { total: MAX_WAITING, perAddress: MAX_REFUSALS_PER_ADDRESS }, 'waiting')

const KINDS = {
  /** A refused request for a page. */
  visitor: { budget: createBudget(IMMEDIATE_PER_SECOND), join: joinRefusals },
  /** A long upload: the client sends megabytes before it reads the response. */
  upload: { budget: createBudget(IMMEDIATE_UPLOADS_PER_SECOND), join: joinQueue },
  /**
   * A 429 or 503 for a request without a valid key, or a response for which no key is needed, such as a 405. All addresses share a budget,
   * because forged keys can come from many addresses.
   */
  invalidKey: { budget: createBudget(IMMEDIATE_PER_SECOND), join: joinRefusals },
  /**
   * A 429 or 503 for a request with a valid key, for example from the rate limit, load shedding or an outage. Each address has its own
   * budget, so that clients that ignore `Retry-After` do not delay others.
   */
  api: { budget: createBudget(IMMEDIATE_PER_API_ADDRESS), isPerAddress: true, join: joinRefusals },
  /** A response to a health check, which is never refused. Each address has its own budget, so that a flood does not delay other checks. */
  health: { budget: createBudget(IMMEDIATE_PER_SECOND), isPerAddress: true, join: joinRefusals },
} satisfies Record<string, Kind>

/** The kinds that the API uses. */
export type ApiRefusal = 'invalidKey' | 'api' | 'health'

/**
 * Waits before a refusal is sent, unless only a few are being sent or too many requests are already waiting.
 *
 * @param address the client's address, 'unknown', or the ID of its session or device
 * @param outgoing the response; the wait ends when its client disconnects
 */
export async function delayRefusal(
  address: string,
  kind: keyof typeof KINDS,
  outgoing?: Pick<ServerResponse, 'destroyed' | 'once'>,
): Promise<void> {
  if (outgoing?.destroyed) return
  const { budget, isPerAddress, join }: Kind = KINDS[kind]
  const { isExceeded } = await consume(budget, isPerAddress ? address : 'all')
  const leave = isExceeded ? join(address) : undefined
  if (!leave) return
  const ended = new AbortController()
  outgoing?.once('close', () => ended.abort())
  await pause(DELAY_MS + Math.random() * JITTER_MS, undefined, { signal: ended.signal }).catch(() => {})
  leave()
}
