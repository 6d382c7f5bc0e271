/** A mutex per key, so that scans that wait for one ticket do not hold connections that other tickets need. */
import { createSemaphore, reportLoad, type Semaphore } from '@/db/semaphore'

/** How long a caller waits for the lock, in milliseconds. */
const WAIT_MS = 1_000

const locks = new Map<string, { mutex: Semaphore; users: number }>()
let refused = 0

reportLoad('tickets', () => ({
  active: locks.size,
  waiting: [...locks.values()].reduce((sum, { mutex }) => sum + mutex.load().waiting, 0),
  refused,
}))

/**
 * Runs `work` while no other work in this process runs under the same key. Does not exclude other processes: lock a row for that.
 *
 * @param name what is locked, for the error: the key may be a secret
 * @throws {UnavailableError} if the lock is not free in time
 */
export async function withLock<T>(name: string, key: string, work: () => Promise<T>): Promise<T> {
  const lock = locks.get(key) ?? { mutex: createSemaphore({ name, limit: 1, waitMs: WAIT_MS }), users: 0 }
  locks.set(key, lock)
  lock.users += 1
  try {
    return await lock.mutex.run(work)
  } finally {
    lock.users -= 1
    if (lock.users === 0) {
      locks.delete(key)
      refused += lock.mutex.load().refused
    }
  }
}
