/** Load shedding: limits concurrent lists, so that the processors stay free for check-in. Rejecting a list costs almost nothing. */
import { availableParallelism } from 'node:os'
import { openedPool } from '@/db/client'
import { createSharedSemaphore, reportLoad } from '@/db/semaphore'

/** The number of concurrent lists in the database. It keeps every processor busy; more lists would only delay admissions. */
const LIMIT = Math.max(2, availableParallelism()) + 1
/** The maximum number of running and waiting lists of a seller, a few tenths of a second of work. With more, clients would time out and retry. */
const MAX_ACCEPTED = 48
/** The maximum number of lists that wait for other sellers' lists, of which each seller has at most `LIMIT`. */
const MAX_WAITING = 100
const WAIT_MS = 750
/**
 * How long a list that has a slot waits for running check-ins, in milliseconds. A check-in takes several statements. After each of them, it would wait
 * for the lists whose responses the process is writing.
 */
const CHECK_INS_FIRST_MS = 20

/**
 * The semaphore of every operation except check-in. It is acquired after authentication and the rate limit, so that forged keys do not take slots.
 * One seller alone can use all slots; otherwise sellers take turns.
 */
const semaphore = createSharedSemaphore({
  name: 'lists',
  limit: LIMIT,
  queue: MAX_WAITING,
  waitMs: WAIT_MS,
  ofSeller: { limit: LIMIT, queue: MAX_ACCEPTED - LIMIT },
})

reportLoad('lists', semaphore.load)

/**
 * Runs a list in a slot of a seller, after the check-ins that are running.
 *
 * @throws {UnavailableError} if too many lists are waiting
 */
export const runList = <T>(sellerId: string, work: () => Promise<T>): Promise<T> =>
  semaphore.run(sellerId, async () => {
    await openedPool('doors')?.whenIdle(CHECK_INS_FIRST_MS)
    return work()
  })
