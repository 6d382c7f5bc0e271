/** Picks the pool for reading lists: the replica if it has caught up with the primary, else the primary. */
import { sql } from 'drizzle-orm'
import { type Database, database } from '@/db/client'
import { openedReplica } from '@/db/pools'
import type { Resource } from '../catalog/resource'
import { replicationState } from './record-counts'

/**
 * Returns the pool for reading lists: the replica if it has every change of the primary, else the primary. A list therefore
 * always includes everything that was written before the read.
 *
 * @param resources every resource that will be read
 */
export async function pickReadPool(resources: readonly Resource[], sellerId: string): Promise<Database> {
  const replica = openedReplica()
  if (!replica) return database()
  const states = resources.map((resource) => replicationState({ resource, sellerId }))
  const state = sql`select concat_ws(' ', ${sql.join(states, sql`, `)}) as state`
  const [here, there] = await Promise.all([
    database().use(({ rows }) => rows<{ state: string }>(state)),
    replica.ask(({ rows }) => rows<{ state: string }>(state)),
  ])
  return there && there.answer[0]?.state === here[0]?.state ? replica.reads : database()
}
