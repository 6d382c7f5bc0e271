/** Load shedding: limits concurrent lists, so that the processors stay free for the doors. Refusing a list costs almost nothing. */
import { availableParallelism } from 'node:os'
import { createSemaphore, reportLoad } from '@/db/semaphore'

/** Concurrent lists in the database: enough to keep every processor busy; more would only delay admissions. */
const LIMIT = Math.max(2, availableParallelism()) + 1
/** Running and waiting lists: a few tenths of a second of work. With more, clients would time out and retry. */
const MAX_ACCEPTED = 48
const WAIT_MS = 750

/** The semaphore of every operation except the doors'. Acquired after authentication and the rate limit, so that forged keys take no slots. */
export const listSemaphore = createSemaphore({ name: 'lists', limit: LIMIT, queue: MAX_ACCEPTED - LIMIT, waitMs: WAIT_MS })

reportLoad('lists', listSemaphore.load)
