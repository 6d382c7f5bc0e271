/** Keeps lists from taking the processors that doors need: few run at once, few wait, and what is refused costs next to nothing. */
import { availableParallelism } from 'node:os'
import { createSemaphore } from '@/db/semaphore'
import { UnavailableError } from '@/db/unavailable'

/** Begun and not answered: some tenths of a second's work. More would be answered late, and by then asked again. */
const MOST = 48
/** In the database at once: enough to keep every processor busy, and no more, for an admission takes turns with them. */
const AT_ONCE = Math.max(2, availableParallelism()) + 1
const WAIT_MS = 750

let begun = 0
const semaphore = createSemaphore({ name: 'lists', limit: AT_ONCE, waitMs: WAIT_MS })

/**
 * Runs a call that nobody waits for at a door.
 *
 * @throws {UnavailableError} at once where too many have begun; not even the key has been looked at then
 */
export async function runOrShed<T>(work: () => Promise<T>): Promise<T> {
  if (begun >= MOST) throw new UnavailableError('Too many lists are asked for at once.', { code: 'queue_full' })
  begun += 1
  try {
    return await work()
  } finally {
    begun -= 1
  }
}

/** Runs the part of such a call that the database works on, when it is its turn. @throws {UnavailableError} where that does not come in time */
export async function inListTurn<T>(work: () => Promise<T>): Promise<T> {
  const release = await semaphore.acquire()
  try {
    return await work()
  } finally {
    release()
  }
}
