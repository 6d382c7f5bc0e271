/** Codes that no ticket has, counted apart: a key that guesses is slowed down, and its door lets its guests in meanwhile. */
import { RateLimiterRes } from 'rate-limiter-flexible'
import { isKnownCode } from '../admission/known-code'
import { env } from '../core/env'
import { ApiError } from '../core/errors'
import { createLimiter, type Limiter } from './limiters'
import { headersOf, type RateHeaders, uncountRequest } from './rate-limit'

/** One in ten of a key's requests; a door that reads last year's tickets by mistake stays under it. */
const SHARE = 10

let limiter: Limiter | undefined
/** Until when a key's unknown codes are refused unasked, and what it is told. */
const refused = new Map<string, { until: number; spent: RateLimiterRes }>()

const budget = () => Math.ceil(env().RATE_LIMIT_PER_MINUTE / SHARE)

/**
 * Before an admission. A known code is never refused here.
 *
 * @throws {ApiError} `rate_limited` for an unknown code of a key that has sent too many
 */
export async function refuseGuess(keyId: string, sellerId: string, code: string): Promise<void> {
  const held = refused.get(keyId)
  if (!held) return
  const left = held.until - Date.now()
  if (left <= 0) {
    refused.delete(keyId)
    return
  }
  if (await isKnownCode(sellerId, code)) return
  await uncountRequest(keyId)
  const seconds = String(Math.ceil(left / 1000))
  const message = `This key has sent ${budget()} codes that no ticket has within a minute. Tickets that exist are still let in; wait ${seconds} s with others.`
  throw new ApiError('rate_limited', message, 'qrCode', {
    ...headersOf(budget(), held.spent),
    'RateLimit-Reset': seconds,
    'Retry-After': seconds,
  })
}

/** After an answer that no ticket has the code. @returns the headers of the requests' own limit, of which this was none */
export async function countGuess(keyId: string): Promise<RateHeaders> {
  if (budget() === 0) return {}
  limiter ??= createLimiter('unknown-codes', budget())
  try {
    await limiter.consume(keyId)
  } catch (spent) {
    if (!(spent instanceof RateLimiterRes)) throw spent
    refused.set(keyId, { until: Date.now() + spent.msBeforeNext, spent })
  }
  return uncountRequest(keyId)
}
