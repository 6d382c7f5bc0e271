/** A server's connections, a pool for each kind of work: no number of lists can take those that the doors need. */
import { sql } from 'drizzle-orm'
import { type Database, database, openDatabase, setDatabase } from './client'
import { createReplica, type Replica } from './replica'

/** Who waits at a door waits with a queue of guests behind; what takes longer than this is asked again. */
const DOOR_MS = 2_500
/** A row that is held longer is somebody's long transaction: its ticket is told so, and the connection goes to the next. */
const DOOR_LOCK_MS = 1_000

/**
 * `general` lists and does everything else, and refuses early when there is too much of it. `doors` admits. The keys of both are
 * looked up on connections of their own, so that a wrong key is told as such even when all others are in use.
 */
const LANES = {
  general: { max: 8, queue: 64 },
  // Many, for an admission waits for the disk most of its time, and commits that wait together are written together.
  doors: { max: 16, statementMs: DOOR_MS, lockMs: DOOR_LOCK_MS },
  keys: { max: 2, statementMs: DOOR_MS, queue: 256 },
  doorKeys: { max: 2, statementMs: DOOR_MS },
} as const

/** The replica's, which nobody waits on for long: the primary can answer too. */
const REPLICA = { max: 8, queue: 64, statementMs: 2_500 }

export type PoolName = keyof typeof LANES

const NAMES = Object.keys(LANES) as PoolName[]

/** Kept on `globalThis`, for Next's bundle and the server's own modules are two copies of this one and share them. */
const holder = globalThis as typeof globalThis & {
  checkoutDeskPools?: Map<PoolName | 'replica', Database>
  checkoutDeskReplica?: Replica | undefined
}

/**
 * Opens every lane on one database; the general one is the process's `database()`.
 *
 * @param replicaUrl of a streaming replica of that database, for lists and overviews
 * @param told whether the replica is away, each time that has changed
 */
export function openPools(url: string, replicaUrl?: string, told: (away: boolean) => void = () => {}): Database {
  const lanes = new Map<PoolName | 'replica', Database>(NAMES.map((name) => [name, openDatabase({ url, name, ...LANES[name] })]))
  holder.checkoutDeskPools = lanes
  const general = getPool('general')
  setDatabase(general)
  holder.checkoutDeskReplica = undefined
  if (replicaUrl !== undefined) {
    const pool = openDatabase({ url: replicaUrl, name: 'replica', ...REPLICA })
    lanes.set('replica', pool)
    holder.checkoutDeskReplica = createReplica(pool, general, told)
  }
  return {
    ...general,
    close: async (seconds) => {
      await Promise.all([...lanes.values()].map((pool) => pool.close(seconds)))
    },
  }
}

/** The pool for one kind of work. A process that serves nobody has but one. */
export const getPool = (name: PoolName): Database => holder.checkoutDeskPools?.get(name) ?? database()

/** The replica of this process's database, where one is configured. */
export const openedReplica = (): Replica | undefined => holder.checkoutDeskReplica

/** The lanes of this process, with their names. */
export const openedPools = (): [string, Database][] => [...(holder.checkoutDeskPools ?? [])]

/** Replaces the pool of every lane, for it is not known in which one the driver broke. */
export function rebuildPools(): void {
  for (const [, pool] of openedPools()) pool.rebuild()
}

/** Opens the first connections of every pool: as many as serve a burst of requests right after the start. */
export async function warmUpPools(): Promise<void> {
  const open = (pool: Database) => pool.use(({ rows }) => rows(sql`select 1`))
  await Promise.all(openedPools().flatMap(([, pool]) => [open(pool), open(pool)]))
}
