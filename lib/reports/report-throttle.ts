/** Limits the concurrent statements of reports. Each keeps a CPU of the database server busy for a few tenths of a second. */
import type { SQL } from 'drizzle-orm'
import { createSharedSemaphore, reportLoad } from '@/db/semaphore'
import { isUnavailable } from '@/db/unavailable'
import type { Resource } from '../catalog/resource'
import { pickPool } from '../listing/record-counts'

/** The maximum number of concurrent statements. One seller can use all of them, but waiting sellers take turns. */
const LIMIT = 2
const QUEUE = 64
/** The maximum number of waiting statements per seller. An overview runs four. */
const QUEUE_PER_SELLER = 30
/** How long a statement waits before the report fails, in milliseconds. */
const WAIT_MS = 20_000

const semaphore = createSharedSemaphore({
  name: 'reports',
  limit: LIMIT,
  queue: QUEUE,
  waitMs: WAIT_MS,
  perSeller: { limit: LIMIT, queue: QUEUE_PER_SELLER },
})

reportLoad('reports', semaphore.load)

/**
 * Runs a statement of a seller's report as soon as fewer than `LIMIT` statements are running.
 *
 * @throws {UnavailableError} if too many statements are waiting, or the wait exceeds `WAIT_MS`
 */
export const runReport = semaphore.run

/**
 * Returns the pool of a seller's report, and a function that reads rows from it with `runReport`.
 *
 * @param resources every resource that will be read
 */
export async function createReportReader(resources: readonly Resource[], seller: string) {
  const pool = await pickPool(resources, seller)
  const read = <Row>(query: SQL): Promise<Row[]> => runReport(seller, () => pool.query<Row>(query))
  return { pool, read }
}

/** Returns a report's result, or undefined if it throws an `UnavailableError`, so that the rest of the dashboard page is still shown. */
export async function ifAvailable<Value>(promise: Promise<Value>): Promise<Value | undefined> {
  try {
    return await promise
  } catch (error) {
    if (isUnavailable(error)) return undefined
    throw error
  }
}
