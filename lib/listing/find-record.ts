/** Finds one record by its ID. */
import { sql } from 'drizzle-orm'
import { database } from '@/db/client'
import type { Resource } from '../catalog/resource'
import { joinSecrets, recordColumns } from './list-query'

/**
 * Returns a record as the same JSON as in a list, or undefined if the seller has no record with this ID. Reads it from the primary, so that
 * a client finds what it has just written.
 *
 * @param id in any letter case
 * @param withSecrets whether to include the members in `Resource.secrets`
 */
export async function findRecord(resource: Resource, sellerId: string, id: string, withSecrets = false): Promise<string | undefined> {
  const { table } = resource
  const [row] = await database().use(({ bytes }) =>
    bytes(
      sql`select ${recordColumns({ resource, withSecrets })} from ${table} where ${table.sellerId} = ${sellerId} and ${table.id} = ${id.toLowerCase()}`,
      {},
    ),
  )
  return row && Buffer.concat(joinSecrets(row)).toString()
}
