/** Lowers the CPU priority of the process that renders pages, and of `desk` commands that read or write many records. */
import { readdir } from 'node:fs/promises'
import { constants, getPriority, setPriority } from 'node:os'

const { PRIORITY_BELOW_NORMAL } = constants.priority

/**
 * Lowers the CPU priority of this process, so that check-in and the database are scheduled first. Does nothing if the system does not
 * permit it. On Linux, each thread has a separate priority.
 */
export async function lowerPriority(): Promise<void> {
  const threads = await readdir('/proc/self/task').catch(() => [])
  for (const id of [0, ...threads.map(Number)]) {
    try {
      // If the process was started with an even lower priority, setting this one would raise it, which only root may do.
      if (getPriority(id) < PRIORITY_BELOW_NORMAL) setPriority(id, PRIORITY_BELOW_NORMAL)
    } catch {
      // The thread has exited, or the system does not permit the change.
    }
  }
}
