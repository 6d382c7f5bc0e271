/** The rate limit of unknown ticket codes, separate from requests: it slows down guessing, while existing tickets are still admitted. */
import { RateLimiterRes } from 'rate-limiter-flexible'
import { reportLoad } from '@/db/semaphore'
import { isKnownCode } from '../admission/known-code'
import { env } from '../core/env'
import { ApiError } from '../core/errors'
import { createLimiter, headersOf, type Limiter, type RateHeaders, retryIn, uncountRequest } from './rate-limit'

/** A tenth of the requests; a door that scans last year's tickets by mistake stays below it. */
const SHARE = 10

let limiter: Limiter | undefined
let refused = 0
/** Keys over the limit, with their counts and when they may try again. */
const blocked = new Map<string, { until: number; spent: RateLimiterRes }>()

reportLoad('unknown_codes', () => ({ active: 0, waiting: 0, refused }))

const budget = () => Math.ceil(env().RATE_LIMIT_PER_MINUTE / SHARE)

/**
 * Checks the limit before an admission. A known code is never refused here.
 *
 * @throws {ApiError} `rate_limited` for an unknown code of a key that has sent too many
 */
export async function refuseGuess(keyId: string, sellerId: string, code: string): Promise<void> {
  const held = blocked.get(keyId)
  if (!held) return
  const left = held.until - Date.now()
  if (left <= 0) {
    blocked.delete(keyId)
    return
  }
  if (await isKnownCode(sellerId, code)) return
  await uncountRequest(keyId)
  refused += 1
  const seconds = Math.ceil(left / 1000)
  const message = `Rate limit exceeded: ${budget().toLocaleString('en-US')} unknown ticket codes per minute for this key. Existing tickets are still admitted. ${retryIn(seconds)}`
  throw new ApiError('rate_limited', message, 'qrCode', {
    ...headersOf(budget(), held.spent),
    'RateLimit-Reset': String(seconds),
    'Retry-After': String(seconds),
  })
}

/** Counts an unknown code, after the ticket was not found. @returns the headers of the key's limit, which does not count it */
export async function countGuess(keyId: string): Promise<RateHeaders> {
  if (budget() === 0) return {}
  limiter ??= createLimiter('unknown-codes', budget())
  try {
    await limiter.consume(keyId)
  } catch (spent) {
    if (!(spent instanceof RateLimiterRes)) throw spent
    blocked.set(keyId, { until: Date.now() + spent.msBeforeNext, spent })
  }
  return uncountRequest(keyId)
}
