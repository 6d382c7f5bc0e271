/** Limits concurrent writes that can take much longer than a list, so that they take up neither the slots nor the connections of lists. */
import { createSharedSemaphore, reportLoad } from '@/db/semaphore'

/** The maximum number of concurrent long writes. Each holds a connection, so most of the five of the pool `general` must remain free. */
const LIMIT = 2
/** The maximum number of a seller's long writes that wait for its running one. Most resends take only milliseconds. */
const QUEUE_OF_SELLER = 16
/** The maximum number of sellers whose next long write waits for those of other sellers. */
const QUEUE = 32
/** How long a long write waits for its seller's other ones, and then for those of other sellers. */
const WAIT_MS = 750

const semaphore = createSharedSemaphore({
  name: 'long writes',
  limit: LIMIT,
  queue: QUEUE,
  waitMs: WAIT_MS,
  perSeller: { limit: 1, queue: QUEUE_OF_SELLER },
})

reportLoad('long_writes', semaphore.load)

/**
 * Runs an operation that can take much longer than a list, such as an erasure. One runs per seller.
 *
 * @throws {UnavailableError} if too many are waiting, or no slot becomes free in time
 */
export const runLongWrite = semaphore.run
