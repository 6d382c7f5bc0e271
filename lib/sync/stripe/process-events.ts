/** Processes stored events: on arrival, on retry, and after a crash. A seller's events are processed one at a time. */
import { sql } from 'drizzle-orm'
import { type Connection, database, STATEMENT_MS } from '@/db/client'
import { stripeEvents } from '@/db/schema'
import { getSqlState, isSchemaMismatch, isUnavailable, unavailableReason } from '@/db/unavailable'
import { log } from '../../core/log'
import { metrics } from '../../core/metrics'
import { textArray } from '../../core/sql'
import { lockAccount } from './account'
import { InvalidEventError } from './apply-events'
import type { EventState } from './events'
import { applyEvent } from './related-events'
import { envelope } from './stripe-event'

/** The time limit for processing an event, in milliseconds. Most events take only a few. */
const PROCESS_MS = 30_000
/** The number of attempts after which an event that reaches the time limit fails, so that it does not block later events forever. */
const MAX_ATTEMPTS = 3

type WaitingEvent = { id: string; payload: string }

/** Locks a seller's account, extends the statement timeout, and returns the seller's oldest waiting event. */
async function takeNext(connection: Connection, seller: string): Promise<WaitingEvent | undefined> {
  await lockAccount(connection, seller)
  // Waits for locks keep their usual time limit. A lock timeout is not caused by the event, and does not count as an attempt.
  await connection.rows(sql`
    select set_config('statement_timeout', ${String(PROCESS_MS)}, true), set_config('lock_timeout', ${String(STATEMENT_MS)}, true)`)
  const [next] = await connection.rows<WaitingEvent>(sql`
    select id, payload::text as payload from ${stripeEvents}
    where seller_id = ${seller} and state = 'waiting' order by created, id limit 1`)
  return next
}

/** Returns whether processing took too long. If this was due to an outage, recording the attempt fails too. */
const isTimeout = (error: unknown) => ['statement_timeout', 'driver_stalled'].includes(unavailableReason(error) ?? '')

/** Returns the reason to store with a failed event. Logs the error unless it is about the event itself. */
function describeFailure(error: unknown): string {
  if (error instanceof InvalidEventError) return error.message
  if (isTimeout(error)) return `processing took longer than ${PROCESS_MS / 1000} seconds`
  const state = getSqlState(error)
  log().error({ error }, 'could not process an event')
  return state === undefined ? 'internal error; see the server log' : `PostgreSQL error ${state}`
}

/**
 * Processes the next waiting event.
 *
 * @returns false if no event is waiting
 * @throws {UnavailableError} if the database becomes unavailable, or processing takes too long and fewer than `MAX_ATTEMPTS` attempts have
 *   been made; the event remains waiting
 */
async function processNext(seller: string): Promise<boolean> {
  let takenId: string | undefined
  try {
    const hasProcessed = await database('jobs').transaction(
      async (connection) => {
        const next = await takeNext(connection, seller)
        if (!next) return false
        takenId = next.id
        const links = await applyEvent(connection, seller, envelope.parse(JSON.parse(next.payload)))
        await connection.rows(sql`
          update ${stripeEvents} set state = 'done', error = null, attempts = attempts + 1, links = ${textArray(links)}
          where seller_id = ${seller} and id = ${next.id}`)
        return true
      },
      undefined,
      PROCESS_MS,
    )
    if (hasProcessed) metrics()?.stripeEvents.inc({ result: 'succeeded' })
    return hasProcessed
  } catch (error) {
    const isSlow = isTimeout(error)
    if ((isUnavailable(error) && !isSlow) || isSchemaMismatch(error) || takenId === undefined) throw error
    const failedId = takenId
    const reason = describeFailure(error)
    const [event] = await database('jobs').query<{ state: EventState }>(sql`
      update ${stripeEvents} set error = ${reason}, attempts = attempts + 1,
        state = case when ${isSlow}::bool and attempts + 1 < ${MAX_ATTEMPTS}::int then 'waiting' else 'failed' end
      where seller_id = ${seller} and id = ${failedId} and state = 'waiting' returning state`)
    if (event?.state === 'waiting') throw error
    metrics()?.stripeEvents.inc({ result: 'failed' })
    return true
  }
}

/** The runs of `processEvents` in this process by seller, and whether more events might have arrived since their last query. */
const runs = new Map<string, { hasMore: boolean; ended: Promise<void> }>()

/** Processes all waiting events of a seller. Concurrent calls share one run. @throws {UnavailableError} if the database is unavailable */
export function processEvents(seller: string): Promise<void> {
  const running = runs.get(seller)
  if (running) {
    running.hasMore = true
    return running.ended
  }
  const run = { hasMore: true, ended: Promise.resolve() }
  runs.set(seller, run)
  const processWaiting = async () => {
    try {
      while (run.hasMore) {
        run.hasMore = false
        while (await processNext(seller));
      }
    } finally {
      runs.delete(seller)
    }
  }
  run.ended = processWaiting()
  return run.ended
}

/** Processes the waiting events of all sellers, such as those left by a crash. An error for one seller does not affect the others. */
export async function processAllEvents(): Promise<void> {
  const sellers = await database().query<{ seller: string }>(sql`
    select seller_id as seller from ${stripeEvents} where state = 'waiting' group by seller_id order by min(received_at)`)
  for (const { seller } of sellers) {
    await processEvents(seller).catch((error: unknown) => log().warn({ seller, error }, 'could not process a seller’s events'))
  }
}
