/** Simulates a server that is using all its database connections for lists and pages. */
import { sql } from 'drizzle-orm'
import { database, setDatabase, setPools } from '@/db/client'
import { openPools } from '@/db/pools'

/** How long each connection stays in use, in seconds. */
const HOLD_SECONDS = 2

/** Opens a server's pools and runs `work` while every connection for lists and pages is in use. @returns the result of `work` */
export async function whileListsAreBusy<T>(work: () => Promise<T>): Promise<T> {
  const before = database()
  const pools = openPools(String(process.env.TEST_DATABASE_URL))
  // The last statement waits for a connection, and the wait can time out while `work` is still running.
  const hold = () => Promise.allSettled([database().use(({ rows }) => rows(sql`select pg_sleep(${HOLD_SECONDS}::float8)`))])
  try {
    const held: Promise<unknown>[] = []
    // Start statements until one has to wait for a connection.
    while (database().load().active === held.length) held.push(hold())
    const result = await work()
    await Promise.all(held)
    return result
  } finally {
    await pools.close(0)
    setPools(new Map())
    setDatabase(before)
  }
}
