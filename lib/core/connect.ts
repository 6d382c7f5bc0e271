/** Opens the process's database as the configuration says: the one of DATABASE_URL, or the embedded one. */
import { type Database, type DatabaseOptions, openDatabase, setDatabase } from '@/db/client'
import { joinEmbedded } from '@/db/embedded'
import { migrateDatabase } from '@/db/migrate'
import { openPools } from '@/db/pools'
import { ensureServerUser } from '@/db/server-user'
import { env } from './env'
import { log } from './log'

export type Opened = {
  /** The connection string. */
  url: string
  /** Where the database is, for people; without its password. */
  place: string
  /** Closes the pool; the embedded server stops with the last process that uses it. Answers whether it did. */
  close(): Promise<boolean>
}

const placeOf = (url: string) => {
  const { host, pathname } = new URL(url)
  return `${host}${pathname}`
}

/**
 * The embedded database is started and migrated by itself. One that DATABASE_URL names is only connected to: its tables are
 * changed by `desk migrate` and by nothing else.
 */
export function connect(options: Omit<DatabaseOptions, 'url'> = {}): Promise<Opened> {
  return connectBy((url) => open(url, options))
}

/** As `connect`, with the connections of a server: a pool for each kind of work, the replica's too, as a user who owns nothing. */
export function connectServer(): Promise<Opened> {
  const { DATABASE_REPLICA_URL } = env()
  const told = (away: boolean) => log().warn(away ? 'the replica is away: the primary serves lists and overviews' : 'the replica is back')
  return connectBy((url) => openPools(url, DATABASE_REPLICA_URL, told), ensureServerUser)
}

/** @param userOf the connection string to use, from the embedded database's owner's */
async function connectBy(
  openPool: (url: string) => Database,
  userOf = async (ownerUrl: string): Promise<string> => ownerUrl,
): Promise<Opened> {
  const { DATABASE_URL, DATA_DIR } = env()
  if (DATABASE_URL !== undefined) {
    const pool = openPool(DATABASE_URL)
    return { url: DATABASE_URL, place: placeOf(DATABASE_URL), close: () => pool.close().then(() => false) }
  }
  const embedded = await joinEmbedded(DATA_DIR)
  let url: string
  try {
    await migrateDatabase(embedded.url)
    url = await userOf(embedded.url)
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
