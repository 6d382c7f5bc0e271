/** Counters of a minute, kept by this server alone or, where several run, in the database that they share. */
import { RateLimiterMemory, RateLimiterPostgres } from 'rate-limiter-flexible'
import { RATE_LIMIT_TABLE, rateLimitStore } from '@/db/rate-limit-store'
import { env } from '../core/env'

const WINDOW_SECONDS = 60

export type Limiter = RateLimiterMemory | RateLimiterPostgres

/**
 * @param name of what is counted: no two limiters share one
 * @param points how many a minute are let through
 */
export function createLimiter(name: string, points: number): Limiter {
  const options = { keyPrefix: name, points, duration: WINDOW_SECONDS }
  const memory = new RateLimiterMemory(options)
  if (env().RATE_LIMIT_STORE === 'memory') return memory
  return new RateLimiterPostgres({
    ...options,
    storeClient: rateLimitStore,
    storeType: 'pool',
    tableName: RATE_LIMIT_TABLE,
    tableCreated: true,
    // A key that is over its limit costs the database nothing more.
    inMemoryBlockOnConsumed: points + 1,
    // The counts are no reason to refuse anybody when the database is away.
    insuranceLimiter: memory,
  })
}
