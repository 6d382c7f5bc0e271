/** Deletes expired rows. */
import type { SQL } from 'drizzle-orm'
import { database, type PoolName } from '@/db/client'

/** The number of rows that a statement deletes, so that none takes long. */
export const PURGE_BATCH = 5_000

/** Repeats a statement that deletes at most `PURGE_BATCH` rows and returns them, until it finds fewer. */
export async function purgeInBatches(purge: SQL, pool?: PoolName): Promise<void> {
  let gone: number
  do gone = (await database(pool).use(({ rows }) => rows(purge))).length
  while (gone >= PURGE_BATCH)
}
