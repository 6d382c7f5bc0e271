/** One scan of a ticket at a time: those that wait for the same ticket hold no connection that another ticket's guest needs. */
import { createSemaphore, reportLoad, type Semaphore } from '@/db/semaphore'

/** How long a scan waits for the ones of its own ticket, in milliseconds. */
const WAIT_MS = 1_000

const turns = new Map<string, { semaphore: Semaphore; users: number }>()
let refused = 0

reportLoad('tickets', () => ({
  active: turns.size,
  waiting: [...turns.values()].reduce((sum, { semaphore }) => sum + semaphore.load().waiting, 0),
  refused,
}))

/**
 * Runs `work` when no other work of this process runs for the same ticket. Other processes' are held off by the row's lock.
 *
 * @throws {UnavailableError} where its turn does not come in time
 */
export async function inTurn<T>(sellerId: string, ticket: string, work: () => Promise<T>): Promise<T> {
  const name = `${sellerId} ${ticket}`
  const turn = turns.get(name) ?? { semaphore: createSemaphore({ name: 'the ticket', limit: 1, waitMs: WAIT_MS }), users: 0 }
  turns.set(name, turn)
  turn.users += 1
  try {
    return await turn.semaphore.run(work)
  } finally {
    turn.users -= 1
    if (turn.users === 0) {
      turns.delete(name)
      refused += turn.semaphore.load().refused
    }
  }
}
