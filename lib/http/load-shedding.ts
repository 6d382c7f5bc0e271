/** Load shedding: the limit on concurrent lists. It leaves the processors to the doors, and a list that is refused costs next to nothing. */
import { availableParallelism } from 'node:os'
import { createSemaphore, reportLoad } from '@/db/semaphore'

/** In the database at once: enough to keep every processor busy; more would only make admissions wait. */
const LIMIT = Math.max(2, availableParallelism()) + 1
/** Running and waiting: some tenths of a second's work. A later answer would come after the client has asked again. */
const MAX_ACCEPTED = 48
const WAIT_MS = 750

/** Of every operation but a door's. Entered after authentication and the rate limit, so that forged keys take no places. */
export const listSemaphore = createSemaphore({ name: 'lists', limit: LIMIT, queue: MAX_ACCEPTED - LIMIT, waitMs: WAIT_MS })

reportLoad('lists', listSemaphore.load)
