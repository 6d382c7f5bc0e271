/** Refuses lists early when there are too many at once: what is refused must cost next to nothing, for doors use the same processor. */
import { Unavailable } from '@/db/unavailable'

/** At work and waiting: some tenths of a second's work. More would be answered late, and by then asked again. */
const MOST = 48

let running = 0

/**
 * Runs a call that nobody waits for at a door.
 *
 * @throws {Unavailable} at once where too many run; not even the key has been looked at then
 */
export async function runOrShed<T>(work: () => Promise<T>): Promise<T> {
  if (running >= MOST) throw new Unavailable('Too many lists are asked for at once.')
  running += 1
  try {
    return await work()
  } finally {
    running -= 1
  }
}
