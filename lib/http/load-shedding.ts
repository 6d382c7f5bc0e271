/** Load shedding: limits concurrent operations, so that check-in gets enough CPU time and connections. Rejecting an operation is cheap. */
import { availableParallelism } from 'node:os'
import { openedPool } from '@/db/client'
import { createSharedSemaphore, reportLoad } from '@/db/semaphore'

/** The maximum number of concurrent lists. They can keep every CPU busy; more lists would only delay check-in. */
const LIMIT = Math.max(2, availableParallelism()) + 1
/** The maximum number of a seller's running and waiting lists: a few tenths of a second of work. With more, the last would time out. */
const MAX_ACCEPTED = 48
/** The maximum number of lists that wait for other sellers' lists. Each seller has at most `LIMIT` of them. */
const MAX_WAITING = 100
/**
 * How long an operation waits for a slot in each of two queues, in milliseconds: behind the operations of the same seller, and then behind
 * those of other sellers.
 */
const WAIT_MS = 750
/**
 * How long a list that has a slot waits for running check-ins, in milliseconds. A check-in runs several statements. Without this wait,
 * the check-in would have to wait after each of them while the process writes the responses to list requests.
 */
const CHECK_INS_FIRST_MS = 20

/**
 * The semaphore for every operation except check-in and long writes. It is acquired after authentication and rate limiting, so forged keys
 * take no slots. A single seller can use all slots; several sellers take turns.
 */
const lists = createSharedSemaphore({
  name: 'lists',
  limit: LIMIT,
  queue: MAX_WAITING,
  waitMs: WAIT_MS,
  perSeller: { limit: LIMIT, queue: MAX_ACCEPTED - LIMIT },
})

/**
 * The semaphore for writes that can take much longer than a list, so that they take up neither the slots nor the connections of lists. Each
 * holds a connection, and most of the five in the pool `general` must remain free. A seller's other long writes wait for its running one,
 * because most of them, such as resends, take only milliseconds.
 */
const longWrites = createSharedSemaphore({
  name: 'long writes',
  limit: 2,
  queue: 32,
  waitMs: WAIT_MS,
  perSeller: { limit: 1, queue: 16 },
})

reportLoad('lists', lists.load)
reportLoad('long_writes', longWrites.load)

/**
 * Runs a list, or another operation, in one of its seller's slots, after waiting briefly in that slot for running check-ins.
 *
 * @throws {UnavailableError} if too many are waiting, or no slot becomes free in time
 */
export const runList = <T>(sellerId: string, work: () => Promise<T>): Promise<T> =>
  lists.run(sellerId, async () => {
    await openedPool('doors')?.whenIdle(CHECK_INS_FIRST_MS)
    return work()
  })

/**
 * Runs an operation that can take much longer than a list, such as an erasure.
 *
 * @throws {UnavailableError} if too many are waiting, or no slot becomes free in time
 */
export const runLongWrite = longWrites.run
