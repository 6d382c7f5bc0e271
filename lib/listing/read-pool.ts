/** Where lists are read: on the replica, where there is one and it has all that the primary has of them; else on the primary. */
import { sql } from 'drizzle-orm'
import { type Database, database } from '@/db/client'
import { openedReplica } from '@/db/pools'
import type { Resource } from '../catalog/resource'
import { stateOf } from './record-counts'

/**
 * Returns the pool to read lists from: the replica if it has every change that the primary has, else the primary. What was written
 * before the call is always read.
 *
 * @param resources everything that is going to be read
 */
export async function pickReadPool(resources: readonly Resource[], seller: string): Promise<Database> {
  const replica = openedReplica()
  if (!replica) return database()
  const states = sql.join(
    resources.map((resource) => stateOf(resource, seller)),
    sql`, `,
  )
  const state = sql`select concat_ws(' ', ${states}) as state`
  const [here, there] = await Promise.all([
    database().use(({ rows }) => rows<{ state: string }>(state)),
    replica.ask(({ rows }) => rows<{ state: string }>(state)),
  ])
  return there && there.answer[0]?.state === here[0]?.state ? replica.reads : database()
}
