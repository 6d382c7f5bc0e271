/** Opens the database of this process: the one at DATABASE_URL, or the embedded one. */
import { type Database, type DatabaseOptions, database, openDatabase, setDatabase } from '@/db/client'
import { type JoinOptions, joinEmbedded } from '@/db/embedded'
import { isMigrated } from '@/db/is-migrated'
import { migrateDatabase } from '@/db/migrate'
import { openPools } from '@/db/pools'
import { ensureServerUser } from '@/db/server-user'
import { isRejection, unavailableReason } from '@/db/unavailable'
import { EnvError, env } from './env'
import { log } from './log'

export type OpenDatabase = {
  /** The connection string. */
  url: string
  /** A description of the database's location, without the password. */
  place: string
  /** Closes the pool, and stops the embedded server if no other process uses it. @returns whether the server was stopped */
  close(): Promise<boolean>
}

const formatLocation = (url: string) => {
  const { host, pathname } = new URL(url)
  return `${host}${pathname}`
}

/**
 * Starts and migrates the embedded database, or connects to DATABASE_URL, which only `desk migrate` migrates.
 *
 * @param mayCreate whether to create the embedded database if it does not exist
 * @throws {EnvError} if only MIGRATE_DATABASE_URL is set
 * @throws {EmbeddedError} if the embedded database does not exist and must not be created, or cannot be used
 */
export function connect({ mayCreate, ...options }: Omit<DatabaseOptions, 'url'> & { mayCreate?: boolean } = {}): Promise<OpenDatabase> {
  return connectWith((url) => open(url, options), undefined, { mayCreate })
}

/**
 * Logs an error if migrations are pending: until they run, `/readyz` reports this and requests fail with a 500. Logs a warning if the
 * database does not respond, or rejects the password, the database name or the query.
 */
async function warnUnlessMigrated(): Promise<void> {
  try {
    if (!(await isMigrated(database()))) log().error('the database is missing migrations for this version: run `npm run desk -- migrate`')
  } catch (error) {
    const problem = isRejection(error) ? 'the database rejects the connection: check DATABASE_URL' : 'the database does not respond'
    log().warn({ reason: unavailableReason(error), error }, problem)
  }
}

/** Logs that the replica has become unavailable, or available again. @param error why it is unavailable */
export function logReplicaChange(isDown: boolean, error?: unknown): void {
  if (!isDown) log().warn('the replica is available again')
  else {
    const cause = { reason: unavailableReason(error), error }
    log().warn(cause, 'the replica is unavailable: the primary serves lists and overviews')
  }
}

/** Logs that the embedded PostgreSQL has stopped unexpectedly and was started again. @param error why it could not be started */
function logRestart(error?: unknown): void {
  if (error === undefined) log().warn('the embedded PostgreSQL had stopped, and was started again: see its server.log')
  else log().error({ error }, 'the embedded PostgreSQL has stopped and does not start: trying again until it does')
}

/**
 * Connects like `connect`, but opens a server's connection pools, including the replica's, and connects to the embedded database as
 * a user that owns no tables, and starts that database again if it stops. Does not wait for an unreachable database.
 */
export async function connectServer(): Promise<OpenDatabase> {
  const { DATABASE_REPLICA_URL } = env()
  const opened = await connectWith((url) => openPools(url, DATABASE_REPLICA_URL, logReplicaChange), ensureServerUser, {
    onRestart: logRestart,
  })
  void warnUnlessMigrated()
  return opened
}

/**
 * @param getServerUrl converts the connection string of the embedded database's owner to the one for serving requests
 * @param joinOptions options for the embedded database
 */
async function connectWith(
  openPool: (url: string) => Database,
  getServerUrl = async (ownerUrl: string): Promise<string> => ownerUrl,
  joinOptions: JoinOptions = {},
): Promise<OpenDatabase> {
  const { DATABASE_URL, MIGRATE_DATABASE_URL, DATA_DIR } = env()
  // Otherwise, a server whose DATABASE_URL was forgotten or misspelled would use an empty embedded database.
  if (DATABASE_URL === undefined && MIGRATE_DATABASE_URL !== undefined)
    throw new EnvError('DATABASE_URL is not set, although MIGRATE_DATABASE_URL is. Set it to the same database. See .env.example.')
  if (DATABASE_URL !== undefined) {
    const pool = openPool(DATABASE_URL)
    return { url: DATABASE_URL, place: formatLocation(DATABASE_URL), close: () => pool.close().then(() => false) }
  }
  const embedded = await joinEmbedded(DATA_DIR, joinOptions)
  let url: string
  try {
    await migrateDatabase(embedded.url)
    url = await getServerUrl(embedded.url)
  } catch (error) {
    await embedded.leave()
    throw error
  }
  const pool = openPool(url)
  return {
    url,
    place: `the embedded PostgreSQL in ${DATA_DIR}`,
    close: async () => {
      await pool.close()
      return embedded.leave()
    },
  }
}

function open(url: string, options: Omit<DatabaseOptions, 'url'>): Database {
  const pool = openDatabase({ ...options, url })
  setDatabase(pool)
  return pool
}
