/** How many requests a key may make in a minute. */
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { env } from '../env'
import { ApiError } from '../errors'

export type RateHeaders = Record<string, string>

// Spec silent: rate limits.
const WINDOW_SECONDS = 60

let limiter: RateLimiterMemory | undefined

const headersOf = (limit: number, { remainingPoints, msBeforeNext }: RateLimiterRes): RateHeaders => ({
  'RateLimit-Limit': String(limit),
  'RateLimit-Remaining': String(Math.max(0, remainingPoints)),
  'RateLimit-Reset': String(Math.ceil(msBeforeNext / 1000)),
})

/**
 * Counts one request of a key.
 *
 * @returns the headers that tell how many are left; none where the limit is off
 * @throws {ApiError} `rate_limited`, with the same headers and Retry-After
 */
export async function limitRate(keyId: string): Promise<RateHeaders> {
  const limit = env().RATE_LIMIT_PER_MINUTE
  if (limit === 0) return {}
  limiter ??= new RateLimiterMemory({ points: limit, duration: WINDOW_SECONDS })
  try {
    return headersOf(limit, await limiter.consume(keyId))
  } catch (spent) {
    if (!(spent instanceof RateLimiterRes)) throw spent
    const headers = headersOf(limit, spent)
    const seconds = headers['RateLimit-Reset'] ?? '60'
    throw new ApiError('rate_limited', `This key has made its ${limit} requests of the minute. Wait ${seconds} s and go on.`, undefined, {
      ...headers,
      'Retry-After': seconds,
    })
  }
}
