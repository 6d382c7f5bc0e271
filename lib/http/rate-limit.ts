/** How many requests a key may make in a minute. */
import { RateLimiterRes } from 'rate-limiter-flexible'
import { env } from '../core/env'
import { ApiError } from '../core/errors'
import { createLimiter, type Limiter } from './limiters'

export type RateHeaders = Record<string, string>

// Spec silent: rate limits.
let limiter: Limiter | undefined

export const headersOf = (limit: number, { remainingPoints, msBeforeNext }: RateLimiterRes): RateHeaders => ({
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
  limiter ??= createLimiter('requests', limit)
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

/** Takes a request back that is counted elsewhere. @returns the headers that count from now on */
export async function uncountRequest(keyId: string): Promise<RateHeaders> {
  const limit = env().RATE_LIMIT_PER_MINUTE
  return limiter ? headersOf(limit, await limiter.reward(keyId)) : {}
}
