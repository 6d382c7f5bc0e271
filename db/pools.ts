/** The server's connection pools, one per kind of work, so that lists and pages cannot use up the connections that check-in needs. */
import { sql } from 'drizzle-orm'
import { type Database, database, openDatabase, openedPools, type PoolName, setDatabase, setPools } from './client'
import { createReplica, type OnReplicaChange } from './replica'

/** The statement timeout at check-in. With guests waiting in line, retrying is better than waiting longer. */
const DOOR_MS = 2_500
/** The lock timeout at check-in. Scans that wait longer for a locked row fail, which frees their connections for other scans. */
const DOOR_LOCK_MS = 1_000

/** Serves lists and everything else that has no separate pool. Its short queue sheds load early. */
const GENERAL = { max: 5, queue: 64 }
/**
 * `doors` serves admissions. Keys are looked up on separate connections, so that a request with an invalid key gets a response even if all
 * others are in use: `doorKeys` for check-in, `keys` for everything else. `jobs` serves webhooks and other background work.
 */
const OPTIONS = {
  // Many, because an admission mostly waits for the disk, and PostgreSQL flushes concurrent commits together.
  doors: { max: 14, statementMs: DOOR_MS, lockMs: DOOR_LOCK_MS },
  // Kept open. Otherwise, all lookups would share one connection while the other one opens, and could exceed their time limit.
  keys: { max: 2, statementMs: DOOR_MS, queue: 256, keepsIdle: true },
  doorKeys: { max: 2, statementMs: DOOR_MS, keepsIdle: true },
  // Few, because background jobs can wait.
  jobs: { max: 4 },
} satisfies Record<Exclude<PoolName, 'general'>, object>

/** The pool of the process that renders pages. The replica has a separate one. */
const PAGES = { name: 'pages', max: 5, queue: 64 }

/** The replica's pool in each of the two processes. Its timeout is short, because the primary can serve the request instead. */
const REPLICA = { max: 4, queue: 64, statementMs: 2_500 }

/** Makes a pool the process's `database()`, and adds the replica's pool, if any. @returns the database, whose `close` closes every pool */
function setAll(general: Database, pools: Map<string, Database>, replicaUrl?: string, onChange: OnReplicaChange = () => {}): Database {
  if (replicaUrl !== undefined) {
    const pool = openDatabase({ url: replicaUrl, name: 'replica', ...REPLICA })
    pools.set('replica', pool)
    general.replica = createReplica(pool, general, onChange)
  }
  setPools(pools)
  setDatabase(general)
  return {
    ...general,
    close: async (seconds) => {
      await Promise.all([...pools.values()].map((pool) => pool.close(seconds)))
    },
  }
}

/**
 * Opens all of the server's pools for one database. `general` becomes the process's `database()`.
 *
 * @param replicaUrl the URL of a streaming replica of that database, which serves lists and overviews
 */
export function openPools(url: string, replicaUrl?: string, onChange?: OnReplicaChange): Database {
  const general = openDatabase({ url, ...GENERAL })
  const pools = new Map([['general', general]])
  for (const [name, options] of Object.entries(OPTIONS)) pools.set(name, openDatabase({ url, name, ...options }))
  return setAll(general, pools, replicaUrl, onChange)
}

/** Opens the one pool of the process that renders pages, for every kind of work. Takes the same parameters as `openPools`. */
export function openPagePool(url: string, replicaUrl?: string, onChange?: OnReplicaChange): Database {
  const pool = openDatabase({ url, ...PAGES })
  return setAll(pool, new Map([[PAGES.name, pool]]), replicaUrl, onChange)
}

/** Rebuilds every pool, because the driver's error does not say which one is affected. */
export function rebuildPools(): void {
  for (const [, pool] of openedPools()) pool.rebuild()
}

/**
 * Opens two connections in every pool, and all connections for check-in: all doors may scan at once after a restart during an event. If the
 * replica is unavailable, this is reported as usual and is not an error.
 */
export async function warmUpPools(): Promise<void> {
  const open = (pool: Database) => pool.use(({ rows }) => rows(sql`select 1`))
  const count = (name: string) => (name === 'doors' ? OPTIONS.doors.max : 2)
  const replica = database().replica?.reads
  const pools = openedPools().map(([name, pool]) => [name, (name === 'replica' && replica) || pool] as const)
  await Promise.all(pools.flatMap(([name, pool]) => Array.from({ length: count(name) }, () => open(pool))))
}
