/** Reads from a streaming replica, or from the primary if the replica is down, too slow, or cancels the query because of a conflict. */
import { sql } from 'drizzle-orm'
import { type Connection, type Database, type Replica, withTimeout } from './client'
import { isSchemaMismatch, isUnavailable } from './unavailable'

/** Called each time the replica becomes unavailable, with the error, or available again. */
export type OnReplicaChange = (isDown: boolean, error?: unknown) => void

/** How long to avoid the replica after a fault, and the minimum interval between the background probes that follow, in milliseconds. */
const COOLDOWN_MS = 5_000
/** How long `tryQuery` waits for the replica, in milliseconds. */
const QUERY_MS = 500

/**
 * Returns a replica that falls back to the primary while the replica is unavailable.
 *
 * @param pool the pool of the replica
 * @param primary the pool to use while the replica is unavailable
 * @param onChange called each time the replica becomes unavailable, or available again
 * @param cooldownMs how long to avoid the replica after a fault, in milliseconds
 */
export function createReplica(pool: Database, primary: Database, onChange: OnReplicaChange, cooldownMs = COOLDOWN_MS): Replica {
  let isDown = false
  let nextProbe = 0

  const markDown = (error: unknown) => {
    nextProbe = Date.now() + cooldownMs
    if (!isDown) onChange(true, error)
    isDown = true
  }

  const probe = async () => {
    nextProbe = Date.now() + cooldownMs
    try {
      await pool.query(sql`select 1`)
      isDown = false
      onChange(false)
    } catch (error) {
      markDown(error)
    }
  }

  const attempt = async <T>(work: () => Promise<T>): Promise<{ result: T } | undefined> => {
    if (isDown) {
      if (Date.now() >= nextProbe) void probe()
      return undefined
    }
    try {
      return { result: await work() }
    } catch (error) {
      // A replica has the primary's tables. If one is missing, DATABASE_REPLICA_URL refers to another database.
      if (!isUnavailable(error) && !isSchemaMismatch(error)) throw error
      markDown(error)
      return undefined
    }
  }

  const tryQuery: Replica['tryQuery'] = (work) => attempt(() => withTimeout(pool.use(work), QUERY_MS, () => {}))
  const reads: Database = {
    ...primary,
    use: async (work) => ((await attempt(() => pool.use(work))) ?? { result: await primary.use(work) }).result,
    transaction: async (work, _, maxMs) =>
      ((await attempt(() => pool.transaction(work, undefined, maxMs))) ?? { result: await primary.transaction(work, undefined, maxMs) })
        .result,
  }
  return {
    tryQuery,
    reads,
    async pick(state) {
      const read = ({ rows }: Connection) => rows<{ state: string }>(sql`select ${state} as state`)
      const [current, replayed] = await Promise.all([primary.use(read), tryQuery(read)])
      return replayed && replayed.result[0]?.state === current[0]?.state ? reads : primary
    },
  }
}
