/** Limits each key's requests per minute. Counts them in memory or, with RATE_LIMIT_STORE=postgres, in the database that servers share. */
import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible'
import { database } from '@/db/client'
import { reportLoad } from '@/db/semaphore'
import { env } from '../core/env'
import { ApiError } from '../core/errors'
import { bindParameters } from '../core/sql'

const WINDOW_SECONDS = 60
const TABLE = 'rate_limits'

export type Limiter = RateLimiterMemory | RateLimiterPostgres
export type RateHeaders = Record<string, string>

/** A query in the format of node-postgres: text with $1, $2 and so on, and the values. */
type Query = { text: string; values?: unknown[] }

/** Runs the queries of rate-limiter-flexible on our connections. */
const store = {
  async query(query: Query) {
    const rows = await database('auth').query<Record<string, unknown>>(bindParameters(query.text, query.values))
    return { rows, rowCount: rows.length }
  },
}

/**
 * Creates a limiter that counts in memory or in the database, depending on RATE_LIMIT_STORE.
 *
 * @param name the limit's unique name
 * @param points the maximum number of requests or other counted items per minute
 */
export function createLimiter(name: string, points: number): Limiter {
  const options = { keyPrefix: name, points, duration: WINDOW_SECONDS }
  const memory = new RateLimiterMemory(options)
  if (env().RATE_LIMIT_STORE === 'memory') return memory
  return new RateLimiterPostgres({
    ...options,
    storeClient: store,
    storeType: 'pool',
    tableName: TABLE,
    tableCreated: true,
    // A key that has exceeded its limit causes no more queries until the limit resets.
    inMemoryBlockOnConsumed: points + 1,
    // While the database is unreachable, requests are counted in memory instead of being rejected.
    insuranceLimiter: memory,
  })
}

/** Counts a point. Unlike the limiter's method, returns the state of the limit even if it is exceeded. */
export const consume = (limiter: Limiter, key: string): Promise<{ state: RateLimiterRes; isExceeded: boolean }> =>
  limiter.consume(key).then(
    (state) => ({ state, isExceeded: false }),
    (rejection: unknown) => {
      if (!(rejection instanceof RateLimiterRes)) throw rejection
      return { state: rejection, isExceeded: true }
    },
  )

// Not specified: rate limits.
/** The limiter for requests, created on the first request; null if the limit is off. */
let limiter: Limiter | null | undefined
let refused = 0

reportLoad('requests', () => ({ active: 0, waiting: 0, refused }))

/** Returns the headers that describe a limit and what remains of it. */
export const toRateHeaders = (limit: number, { remainingPoints, msBeforeNext }: RateLimiterRes) => ({
  'RateLimit-Limit': String(limit),
  'RateLimit-Remaining': String(remainingPoints),
  'RateLimit-Reset': String(Math.ceil(msBeforeNext / 1000)),
})

const formatCount = (count: number, noun: string) => `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`

/** Returns the end of a message, such as "Retry in 9 seconds." */
export const retryIn = (seconds: number) => `Retry in ${formatCount(seconds, 'second')}.`

/**
 * Counts a request against the limit of its key.
 *
 * @returns headers with the number of remaining requests; none if the limit is off
 * @throws {ApiError} `rate_limited`, with the same headers and Retry-After
 */
export async function limitRate(keyId: string): Promise<RateHeaders> {
  if (limiter === undefined) {
    const limit = env().RATE_LIMIT_PER_MINUTE
    limiter = limit === 0 ? null : createLimiter('requests', limit)
  }
  if (limiter === null) return {}
  const { points } = limiter
  const { state, isExceeded } = await consume(limiter, keyId)
  const headers = toRateHeaders(points, state)
  if (!isExceeded) return headers
  refused += 1
  const seconds = Math.max(1, Number(headers['RateLimit-Reset']))
  const message = `Rate limit exceeded: ${formatCount(points, 'request')} per minute for this key. ${retryIn(seconds)}`
  throw new ApiError('rate_limited', message, undefined, { ...headers, 'Retry-After': String(seconds) })
}

/** Refunds a request that counts against another limit instead. @returns the headers of the key's limit; none if the limit is off */
export async function refundRequest(keyId: string): Promise<RateHeaders> {
  return limiter ? toRateHeaders(limiter.points, await limiter.reward(keyId)) : {}
}
