/** Limits the concurrent statements of reports, which keep a processor of the database busy for tenths of a second. */
import { createSemaphore, reportLoad } from '@/db/semaphore'

const LIMIT = 2
const QUEUE = 64
const WAIT_MS = 20_000

const semaphore = createSemaphore({ name: 'reports', limit: LIMIT, queue: QUEUE, waitMs: WAIT_MS })

reportLoad('reports', semaphore.load)

/** Runs a report's statement as soon as fewer than two others are running. @throws {UnavailableError} if the wait is too long */
export const runReport = semaphore.run
