/** Deletes expired rows in batches. */
import type { SQL } from 'drizzle-orm'
import { database, type PoolName } from '@/db/client'

/** The maximum number of rows deleted per statement, to keep each statement short. */
export const PURGE_BATCH = 5_000

/** Repeats a statement that deletes and returns at most `PURGE_BATCH` rows until it deletes fewer than that. */
export async function purgeInBatches(purge: SQL, pool?: PoolName): Promise<void> {
  let deleted: number
  do deleted = (await database(pool).query(purge)).length
  while (deleted >= PURGE_BATCH)
}
