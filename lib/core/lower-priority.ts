import { readdir } from 'node:fs/promises'
import { constants, getPriority, setPriority } from 'node:os'

const { PRIORITY_BELOW_NORMAL } = constants.priority

/**
 * Gives check-in and the database CPU priority over this process, as far as the system permits. On Linux, each thread has a separate
 * priority.
 */
export async function lowerPriority(): Promise<void> {
  const threads = await readdir('/proc/self/task').catch(() => [])
  for (const id of [0, ...threads.map(Number)]) {
    try {
      // The process may have been started with a lower priority, which only root could raise.
      if (getPriority(id) < PRIORITY_BELOW_NORMAL) setPriority(id, PRIORITY_BELOW_NORMAL)
    } catch {
      // The thread has ended, or the system does not permit it.
    }
  }
}
