/** Reads on a streaming replica; where it is away, too slow, or in conflict with what it replays, the primary reads instead. */
import { sql } from 'drizzle-orm'
import { answered, type Connection, type Database } from './client'
import { isUnavailable } from './unavailable'

/** After a fault the replica is left alone for so long, and is then tried with a statement that nobody waits for; milliseconds. */
const REST_MS = 5_000
/** What is asked before a read is answered at once, or the replica is not worth waiting for; milliseconds. */
const ASK_MS = 500

export type Replica = {
  /** Runs a moment's `work` on the replica alone; undefined where it can't be asked now. */
  ask<T>(work: (connection: Connection) => Promise<T>): Promise<{ answer: T } | undefined>
  /** Runs reads on the replica and, where it fails them, on the primary. */
  reads: Database
}

/**
 * @param pool the replica's
 * @param primary who serves while the replica is away
 * @param told whether it is away, each time that has changed
 */
export function createReplica(pool: Database, primary: Database, told: (away: boolean) => void, restMs = REST_MS): Replica {
  let away = false
  let nextProbe = 0

  const rest = () => {
    nextProbe = Date.now() + restMs
    if (!away) told(true)
    away = true
  }

  const probe = async () => {
    nextProbe = Date.now() + restMs
    try {
      await pool.use(({ rows }) => rows(sql`select 1`))
      away = false
      told(false)
    } catch {
      rest()
    }
  }

  const attempt = async <T>(work: () => Promise<T>): Promise<{ answer: T } | undefined> => {
    if (away) {
      if (Date.now() >= nextProbe) void probe()
      return undefined
    }
    try {
      return { answer: await work() }
    } catch (error) {
      if (!isUnavailable(error)) throw error
      rest()
      return undefined
    }
  }

  return {
    ask: (work) => attempt(() => answered(pool.use(work), ASK_MS, () => {})),
    reads: {
      ...primary,
      use: async (work) => ((await attempt(() => pool.use(work))) ?? { answer: await primary.use(work) }).answer,
      transaction: async (work) => ((await attempt(() => pool.transaction(work))) ?? { answer: await primary.transaction(work) }).answer,
    },
  }
}
