/** Limits unknown ticket codes per API key, user or check-in device, which slows down guessing. Guests with tickets are still admitted. */
import { LRUCache } from 'lru-cache'
import type { RateLimiterRes } from 'rate-limiter-flexible'
import { database } from '@/db/client'
import { reportLoad } from '@/db/semaphore'
import { pauseIfGuessing, type RefusedGuesses } from '../accounts/pause-key'
import type { ChangeResult, Serialize, TicketResult } from '../admission/change-ticket'
import { TooMuchMetadataError } from '../admission/decide'
import { isKnownCode } from '../admission/find-code'
import { env } from '../core/env'
import { ApiError } from '../core/errors'
import { log } from '../core/log'
import { consume, createLimiter, type Limiter, type RateHeaders, refundRequest, retryIn, toRateHeaders } from './rate-limit'

/** The limit is the request rate limit divided by this: high enough for staff who scan last year's tickets by mistake. */
const SHARE = 10
const MAX_ACTORS = 10_000
/** The period over which `pause-key.ts` counts unknown codes, in milliseconds. */
const HOUR_MS = 3_600_000
/** The outcomes that reveal that a ticket exists, but leave it usable. Above the limit, they would confirm guesses. */
const REVEALING: TicketResult['outcome'][] = ['idempotency_mismatch', 'other_event', 'not_checked_in']

let limiter: Limiter | undefined
let refused = 0
/** The keys, users and devices above the limit, each until the end of its minute. */
const blocked = new LRUCache<string, RateLimiterRes>({ max: MAX_ACTORS })
/** The number of each actor's guesses above the limit, which are not stored as attempts. A count ends an hour after its first guess. */
const refusedGuesses = new LRUCache<string, RefusedGuesses>({ max: MAX_ACTORS, ttl: HOUR_MS })

reportLoad('unknown_codes', () => ({ active: 0, waiting: 0, refused }))

/** The maximum number of unknown codes per minute; 0 if rate limits are off. */
const budget = () => Math.ceil(env().RATE_LIMIT_PER_MINUTE / SHARE)

/** A validation of a ticket code, or a preview of one. */
export type Scan = {
  /** The ID of the key, the user or the check-in device. */
  actorId: string
  sellerId: string
  code: string
  /** False for a preview. */
  checkIn: boolean
}

/** What is limited, as worded in the error message, and the error's parameter. */
const CODES = { limited: 'unknown ticket codes per minute. Existing tickets are still admitted, but not previewed.', param: 'qrCode' }
const SCANS = { limited: 'scans per minute without a matching ticket.', param: 'scans' }

/** Counts and throws the error for an actor above the limit. */
function refuse(actorId: string, spent: RateLimiterRes, { limited, param } = CODES): never {
  refused += 1
  const seconds = Math.max(1, Math.ceil((blocked.getRemainingTTL(actorId) || spent.msBeforeNext) / 1000))
  const message = `Rate limit exceeded: ${budget().toLocaleString('en-US')} ${limited} ${retryIn(seconds)}`
  throw new ApiError('rate_limited', message, param, {
    ...toRateHeaders(budget(), spent),
    'RateLimit-Remaining': '0',
    'RateLimit-Reset': String(seconds),
    'Retry-After': String(seconds),
  })
}

function refuseIfSpent(actorId: string): void {
  const spent = blocked.get(actorId)
  if (spent) refuse(actorId, spent)
}

function countRefusedGuess(actorId: string): void {
  const guesses = refusedGuesses.get(actorId) ?? { count: 0, since: new Date() }
  guesses.count += 1
  if (guesses.count === 1) refusedGuesses.set(actorId, guesses)
}

function getLimiter(): Limiter {
  limiter ??= createLimiter('unknown-codes', budget())
  return limiter
}

function blockIfSpent(actorId: string, spent: RateLimiterRes): void {
  if (spent.remainingPoints === 0) blocked.set(actorId, spent, { ttl: Math.max(1, spent.msBeforeNext) })
}

/** Counts an unknown code, unless the limit is off. @throws {ApiError} `rate_limited` if parallel scans have used up the limit */
async function countUnknownCode({ actorId }: Scan): Promise<void> {
  if (budget() === 0) return
  const { state, isExceeded } = await consume(getLimiter(), actorId)
  blockIfSpent(actorId, state)
  if (isExceeded) refuse(actorId, state)
}

/**
 * Validates a ticket within the limit on unknown codes. Above the limit, known codes are accepted, but whatever would confirm a code and
 * leave its ticket usable gets the same error as an unknown code: previews, tickets for another event, check-outs of guests who are not
 * checked in, reused idempotency keys and too much metadata.
 *
 * @param serialize converts the result to the response
 * @param validate validates the ticket, using the given serializer
 * @throws {ApiError} `rate_limited`
 */
export async function limitUnknownCodes(
  scan: Scan,
  serialize: Serialize,
  validate: (serialize: Serialize) => Promise<ChangeResult>,
): Promise<ChangeResult> {
  const { actorId, sellerId, code, checkIn } = scan
  const spent = blocked.get(actorId)
  if (spent && !(checkIn && (await isKnownCode(sellerId, code)))) {
    if (checkIn) countRefusedGuess(actorId)
    refuse(actorId, spent)
  }
  const changed = await validate((result) => {
    // Nothing has been written yet, so a retry with the same idempotency key does not return the outcome either.
    if (REVEALING.includes(result.outcome)) refuseIfSpent(actorId)
    return serialize(result)
  }).catch((error: unknown) => {
    if (error instanceof TooMuchMetadataError) refuseIfSpent(actorId)
    throw error
  })
  if (changed.result?.outcome === 'unknown') await countUnknownCode(scan)
  // Concurrent scans might have used up the limit in the meantime.
  else if (!checkIn) refuseIfSpent(actorId)
  return changed
}

/**
 * Records a device's offline scans until the limit is used up. Scans that belong to no ticket count as unknown codes, because the device
 * can read the conflicts of its scans. Above the limit, nothing is recorded, so that the response does not reveal which codes exist.
 *
 * @param record records a scan, and returns whether it was new and belongs to no ticket
 * @returns the IDs of the recorded scans; the device sends the others again
 * @throws {ApiError} `rate_limited` if the limit was used up before the first scan
 */
export async function limitUnknownScans<T extends { id: string }>(
  actorId: string,
  scans: readonly T[],
  record: (scan: T) => Promise<boolean>,
): Promise<string[]> {
  const recorded: string[] = []
  for (const scan of scans) {
    // Each scan is counted before it is known whether it belongs to a ticket. Otherwise, parallel requests could exceed the limit.
    const counted = budget() === 0 ? undefined : await consume(getLimiter(), actorId)
    if (counted?.isExceeded) {
      if (recorded.length === 0) refuse(actorId, counted.state, SCANS)
      break
    }
    const isUnknown = await record(scan).catch(async (error: unknown) => {
      if (counted) await getLimiter().reward(actorId)
      throw error
    })
    recorded.push(scan.id)
    if (counted && isUnknown) blockIfSpent(actorId, counted.state)
    else if (counted) await getLimiter().reward(actorId)
  }
  return recorded
}

/**
 * Refunds the request for an unknown code to the key's rate limit, because it counts against the limit on unknown codes, and pauses the key
 * if it guesses codes. The attempt is already committed, so a failure is only logged.
 *
 * @returns the headers of the key's limit; none if this failed or the limit is off
 */
export async function refundUnknownCode(sellerId: string, keyId: string, requestId: string): Promise<RateHeaders> {
  if (budget() === 0) return {}
  try {
    await pauseIfGuessing(sellerId, keyId, database('doors'), refusedGuesses.get(keyId))
    return await refundRequest(keyId)
  } catch (error) {
    log().warn({ requestId, error }, 'could not refund an unknown code or pause its key')
    return {}
  }
}
