/** Limits the concurrent statements of reports, which keep a processor of the database busy for tenths of a second. */
import { LRUCache } from 'lru-cache'
import { createSemaphore, reportLoad, type Semaphore } from '@/db/semaphore'

const LIMIT = 2
const QUEUE = 64
/** How many statements of one seller wait, which are those of ten overviews. */
const QUEUE_OF_SELLER = 30
const WAIT_MS = 20_000

const semaphore = createSemaphore({ name: 'reports', limit: LIMIT, queue: QUEUE, waitMs: WAIT_MS })

/** A seller has at most two statements in the shared queue, so the next statement of another seller does not wait for all of them. */
const sellers = new LRUCache<string, Semaphore>({
  max: 1_000,
  memoMethod: () => createSemaphore({ name: 'reports of one seller', limit: LIMIT, queue: QUEUE_OF_SELLER, waitMs: WAIT_MS }),
})

reportLoad('reports', () => {
  const { active } = semaphore.load()
  const ofSellers = [...sellers.values()].map((seller) => seller.load())
  return {
    active,
    waiting: ofSellers.reduce((sum, load) => sum + load.active + load.waiting, -active),
    refused: ofSellers.reduce((sum, load) => sum + load.refused, semaphore.load().refused),
  }
})

/** Runs a seller's report as soon as fewer than two statements are running. @throws {UnavailableError} if too many wait, or too long */
export const runReport = <T>(sellerId: string, work: () => Promise<T>): Promise<T> => sellers.memo(sellerId).run(() => semaphore.run(work))
