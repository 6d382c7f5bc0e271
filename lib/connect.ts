/** Opens the process's database as the configuration says: the one of DATABASE_URL, or the embedded one. */
import { type Database, type DatabaseOptions, openDatabase, setDatabase } from '@/db/client'
import { joinEmbedded } from '@/db/embedded'
import { migrateDatabase } from '@/db/migrate'
import { env } from './env'

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
export async function connect(options: Omit<DatabaseOptions, 'url'> = {}): Promise<Opened> {
  const { DATABASE_URL, DATA_DIR } = env()
  if (DATABASE_URL !== undefined) {
    const pool = open(DATABASE_URL, options)
    return { url: DATABASE_URL, place: placeOf(DATABASE_URL), close: () => pool.close().then(() => false) }
  }
  const embedded = await joinEmbedded(DATA_DIR)
  try {
    await migrateDatabase(embedded.url)
  } catch (error) {
    await embedded.leave()
    throw error
  }
  const pool = open(embedded.url, options)
  return {
    url: embedded.url,
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
