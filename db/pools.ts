/** The server's connection pools, one per kind of work, so that lists and pages cannot use up the connections that check-in needs. */
import { sql } from 'drizzle-orm'
import { type Database, database, openDatabase, openedPools, type PoolName, setDatabase, setPools } from './client'
import { createReplica, type OnReplicaChange } from './replica'

/**
 * The statement timeout at check-in and for lookups of keys, sessions and devices, in milliseconds. While guests wait in line, retrying is
 * better than waiting longer.
 */
const SHORT_MS = 2_500
/** The lock timeout at check-in, in milliseconds. Scans that wait longer for a locked row fail, which frees their connections. */
const DOOR_LOCK_MS = 1_000

/** Serves lists and everything else that has no separate pool. Its short queue sheds load early. */
const GENERAL = { max: 5, queue: 64 }
/**
 * `doors` serves check-in. Authentication has separate connections, so that a request with an invalid key gets a response even if all
 * other connections are in use: `doorAuth` for the keys, sessions and devices of check-in requests, `auth` for all other keys and the
 * rate limits. `jobs` serves webhooks and other background work.
 */
const OPTIONS = {
  // Many, because an admission mostly waits for the disk, and PostgreSQL flushes concurrent commits together.
  doors: { max: 14, statementMs: SHORT_MS, lockMs: DOOR_LOCK_MS },
  // Idle connections stay open. Otherwise, all lookups would share one connection while the other one opens, and could exceed their time
  // limit.
  auth: { max: 2, statementMs: SHORT_MS, queue: 256, keepsIdle: true },
  doorAuth: { max: 2, statementMs: SHORT_MS, keepsIdle: true },
  // Few, because background jobs can wait.
  jobs: { max: 4 },
} satisfies Record<Exclude<PoolName, 'general'>, object>

/** The pool of the process that renders pages. The replica has a separate one. */
const PAGES = { name: 'pages', max: 5, queue: 64 }

/** The replica's pool in the server and in the page process. Its timeout is short, because the primary can serve the request instead. */
const REPLICA = { max: 4, queue: 64, statementMs: 2_500 }

/**
 * Makes the process use the given pools, and a pool for the replica if there is one.
 *
 * @param general the pool that `database()` returns by default
 * @returns that pool, but `close` closes every pool
 */
function installPools(
  general: Database,
  pools: Map<string, Database>,
  replicaUrl?: string,
  onChange: OnReplicaChange = () => {},
): Database {
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
 * Opens all of the server's pools for one database. `database(name)` returns one of them, and `database()` the pool `general`.
 *
 * @param replicaUrl the URL of a streaming replica of that database, which serves lists and overviews
 * @param onChange called each time the replica becomes unavailable, or available again
 */
export function openPools(url: string, replicaUrl?: string, onChange?: OnReplicaChange): Database {
  const general = openDatabase({ url, ...GENERAL })
  const pools = new Map([['general', general]])
  for (const [name, options] of Object.entries(OPTIONS)) pools.set(name, openDatabase({ url, name, ...options }))
  return installPools(general, pools, replicaUrl, onChange)
}

/**
 * Opens the pool of the process that renders pages, for every kind of work, and one for the replica if there is one. Takes the same
 * parameters as `openPools`.
 */
export function openPagePool(url: string, replicaUrl?: string, onChange?: OnReplicaChange): Database {
  const pool = openDatabase({ url, ...PAGES })
  return installPools(pool, new Map([[PAGES.name, pool]]), replicaUrl, onChange)
}

/** Rebuilds every pool, because the driver's error does not say which one is affected. */
export function rebuildPools(): void {
  for (const [, pool] of openedPools()) pool.rebuild()
}

/**
 * Opens all connections of `doors`, because all devices may scan at the same time after a restart during an event, and two in every other
 * pool. An unavailable replica is reported as usual, but is not an error.
 */
export async function warmUpPools(): Promise<void> {
  const open = (pool: Database) => pool.query(sql`select 1`)
  const count = (name: string) => (name === 'doors' ? OPTIONS.doors.max : 2)
  const replica = database().replica?.reads
  const pools = openedPools().map(([name, pool]) => [name, (name === 'replica' && replica) || pool] as const)
  await Promise.all(pools.flatMap(([name, pool]) => Array.from({ length: count(name) }, () => open(pool))))
}
