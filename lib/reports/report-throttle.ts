/** Limits the statements of reports, which keep a processor of the database busy for tenths of a second. */
import { createSemaphore, reportLoad } from '@/db/semaphore'

const LIMIT = 2
const QUEUE = 64
const WAIT_MS = 20_000

const semaphore = createSemaphore({ name: 'reports', limit: LIMIT, queue: QUEUE, waitMs: WAIT_MS })

reportLoad('reports', semaphore.load)

/** Runs one statement of a report once fewer than two others run. @throws {UnavailableError} if that takes too long */
export const runReport = semaphore.run
