/**
 * Limits how many exports are open, and how many of them read concurrently. Exports take turns, one chunk at a time, so all of them
 * make progress.
 */
import { createSharedSemaphore, reportLoad } from '@/db/semaphore'

/** The maximum number of open exports, per seller and in total. Each keeps a chunk in memory while its client reads. */
const MAX_OPEN_PER_SELLER = 10
const MAX_OPEN = 50
/** The number of chunks processed concurrently: while one is formatted, another is read. */
const MAX_READING = 2
/**
 * How long an export waits for a slot before it fails, in milliseconds. A chunk takes about a tenth of a second, so an export waits this
 * long only if the database is slow.
 */
const WAIT_MS = 60_000

const open = createSharedSemaphore({
  name: 'exports',
  limit: MAX_OPEN,
  queue: 0,
  waitMs: 0,
  perSeller: { limit: MAX_OPEN_PER_SELLER, queue: 0 },
})
const running = createSharedSemaphore({
  name: 'running exports',
  limit: MAX_READING,
  waitMs: WAIT_MS,
  perSeller: { limit: 1, queue: Number.POSITIVE_INFINITY },
})

reportLoad('exports', () => {
  const { active, refused } = running.load()
  const opened = open.load()
  return { active, waiting: opened.active - active, refused: opened.refused + refused }
})

export type Export = {
  /**
   * Runs `work`, which reads and formats a chunk. At most one other export, for a different seller, does so at the same time.
   *
   * @throws {UnavailableError} `pool_exhausted` after waiting a minute for the seller's other exports, or another minute for other sellers'
   */
  runInSlot<T>(work: () => Promise<T>): Promise<T>
  /** Must be called when the export ends. */
  close(): void
}

/** Starts an export. @throws {UnavailableError} `queue_full` if too many are open */
export async function openExport(sellerId: string): Promise<Export> {
  const close = await open.acquire(sellerId)
  return { runInSlot: (work) => running.run(sellerId, work), close }
}
