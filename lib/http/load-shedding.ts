/** Load shedding: limits concurrent lists, so that the processors stay free for check-in. Rejecting a list costs almost nothing. */
import { availableParallelism } from 'node:os'
import { createSemaphore, reportLoad } from '@/db/semaphore'

/** The number of concurrent lists in the database. It keeps every processor busy; more lists would only delay admissions. */
const LIMIT = Math.max(2, availableParallelism()) + 1
/** The maximum number of running and waiting lists, a few tenths of a second of work. With more, clients would time out and retry. */
const MAX_ACCEPTED = 48
const WAIT_MS = 750

/** The semaphore of every operation except check-in. It is acquired after authentication and the rate limit, so that forged keys do not take slots. */
export const listSemaphore = createSemaphore({ name: 'lists', limit: LIMIT, queue: MAX_ACCEPTED - LIMIT, waitMs: WAIT_MS })

reportLoad('lists', listSemaphore.load)
