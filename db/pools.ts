/** The server's connection pools, one per kind of work, so that lists cannot use up the connections that check-in needs. */
import { sql } from 'drizzle-orm'
import { type Database, database, openDatabase, setDatabase } from './client'
import { createReplica, type Replica } from './replica'

/** The statement timeout at check-in. With guests waiting in line, retrying is better than waiting longer. */
const DOOR_MS = 2_500
/** The lock timeout at check-in. A row that is locked longer belongs to a long transaction; its scan fails, which frees the connection for others. */
const DOOR_LOCK_MS = 1_000

/**
 * `general` serves lists and everything else, and sheds load early. `doors` serves admissions. Keys are looked up on separate
 * connections, so that a request with an invalid key gets a response even if all others are in use.
 */
const OPTIONS = {
  general: { max: 8, queue: 64 },
  // Many, because an admission mostly waits for the disk, and PostgreSQL flushes concurrent commits together.
  doors: { max: 16, statementMs: DOOR_MS, lockMs: DOOR_LOCK_MS },
  // Two connections serve these in turn. With one of them opening, the wait for the other could exceed its limit.
  keys: { max: 2, statementMs: DOOR_MS, queue: 256, keepsIdle: true },
  doorKeys: { max: 2, statementMs: DOOR_MS, keepsIdle: true },
} as const

/** The pool of the replica. Its timeout is short, because the primary can serve the request instead. */
const REPLICA = { max: 8, queue: 64, statementMs: 2_500 }

export type PoolName = keyof typeof OPTIONS

const NAMES = Object.keys(OPTIONS) as PoolName[]

/** On `globalThis`, because Next's bundle and the server each have a copy of this module and share the pools. */
const holder = globalThis as typeof globalThis & {
  checkoutDeskPools?: Map<PoolName | 'replica', Database>
  checkoutDeskReplica?: Replica | undefined
}

/**
 * Opens every pool on one database; `general` becomes the process's `database()`.
 *
 * @param replicaUrl a streaming replica of that database, for lists and overviews
 * @param onChange called each time the replica becomes unavailable (true) or available (false)
 */
export function openPools(url: string, replicaUrl?: string, onChange: (away: boolean) => void = () => {}): Database {
  const pools = new Map<PoolName | 'replica', Database>(NAMES.map((name) => [name, openDatabase({ url, name, ...OPTIONS[name] })]))
  holder.checkoutDeskPools = pools
  const general = getPool('general')
  setDatabase(general)
  holder.checkoutDeskReplica = undefined
  if (replicaUrl !== undefined) {
    const pool = openDatabase({ url: replicaUrl, name: 'replica', ...REPLICA })
    pools.set('replica', pool)
    holder.checkoutDeskReplica = createReplica(pool, general, onChange)
  }
  return {
    ...general,
    close: async (seconds) => {
      await Promise.all([...pools.values()].map((pool) => pool.close(seconds)))
    },
  }
}

/** Returns the pool for a kind of work. Processes other than servers have a single pool. */
export const getPool = (name: PoolName): Database => holder.checkoutDeskPools?.get(name) ?? database()

/** Returns the replica of this process's database, if one is configured. */
export const openedReplica = (): Replica | undefined => holder.checkoutDeskReplica

/** Returns the pools of this process with their names. */
export const openedPools = (): [string, Database][] => [...(holder.checkoutDeskPools ?? [])]

/** Rebuilds every pool, because the driver's error does not say which one is affected. */
export function rebuildPools(): void {
  for (const [, pool] of openedPools()) pool.rebuild()
}

/** Opens two connections in every pool, so that the first requests do not have to wait. */
export async function warmUpPools(): Promise<void> {
  const open = (pool: Database) => pool.use(({ rows }) => rows(sql`select 1`))
  await Promise.all(openedPools().flatMap(([, pool]) => [open(pool), open(pool)]))
}
