/**
 * Limits how many exports are open, and how many of them read concurrently. Exports take turns, one chunk at a time, so all of them
 * progress.
 */
import { LRUCache } from 'lru-cache'
import { createSemaphore, reportLoad, type Semaphore } from '@/db/semaphore'

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

const open = createSemaphore({ name: 'exports', limit: MAX_OPEN, queue: 0, waitMs: 0 })
const running = createSemaphore({ name: 'running exports', limit: MAX_READING, waitMs: WAIT_MS })

type SellerExports = { open: Semaphore; running: Semaphore }

const sellers = new LRUCache<string, SellerExports>({
  max: 1_000,
  memoMethod: () => ({
    open: createSemaphore({ name: 'exports of one seller', limit: MAX_OPEN_PER_SELLER, queue: 0, waitMs: 0 }),
    running: createSemaphore({ name: 'running exports of one seller', limit: 1, waitMs: WAIT_MS }),
  }),
})

reportLoad('exports', () => {
  const active = running.load().active
  const semaphores = [open, running, ...[...sellers.values()].flatMap((seller) => [seller.open, seller.running])]
  return {
    active,
    waiting: open.load().active - active,
    refused: semaphores.reduce((sum, semaphore) => sum + semaphore.load().refused, 0),
  }
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
  const seller = sellers.memo(sellerId)
  const releaseForSeller = await seller.open.acquire()
  try {
    const release = await open.acquire()
    return {
      runInSlot: (work) => seller.running.run(() => running.run(work)),
      close: () => {
        release()
        releaseForSeller()
      },
    }
  } catch (error) {
    releaseForSeller()
    throw error
  }
}
