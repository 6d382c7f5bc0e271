/** Where lists are read: on the replica, where there is one and it has all that the primary has of them; else on the primary. */
import { sql } from 'drizzle-orm'
import { type Database, database } from '@/db/client'
import { openedReplica } from '@/db/pools'
import type { Resource } from '../catalog/resource'
import { type Condition, Lapsed, NO_CONDITION } from './page'
import { stateOf } from './record-counts'

export type Reader = {
  pool: Database
  /** What is left to be asked in the statement that reads: what the primary alone can tell has been asked already. */
  condition: Condition
}

/**
 * The primary says how far the lists are, and the replica reads them if it is as far: what was written before this was called is read.
 *
 * @param resources all that are going to be read
 * @param condition asked on the primary, always
 * @throws {Lapsed} where the condition does not hold
 */
export async function readerOf(resources: readonly Resource[], seller: string, condition: Condition = NO_CONDITION): Promise<Reader> {
  const replica = openedReplica()
  if (!replica) return { pool: database(), condition }
  const states = sql.join(
    resources.map((resource) => stateOf(resource, seller)),
    sql`, `,
  )
  const state = sql`concat_ws(' ', ${states}) as state`
  const [here, there] = await Promise.all([
    database().use(({ rows }) =>
      rows<{ state: string; holds: boolean }>(sql`select ${state}, ${condition.sql} as holds`, condition.values),
    ),
    replica.ask(({ rows }) => rows<{ state: string }>(sql`select ${state}`)),
  ])
  if (!here[0]?.holds) throw new Lapsed()
  return { pool: there?.answer[0]?.state === here[0].state ? replica.reads : database(), condition: NO_CONDITION }
}
