/** Finds one record by its ID. */
import { sql } from 'drizzle-orm'
import { database } from '@/db/client'
import type { Resource } from '../catalog/resource'
import { joinSecrets, type RecordChunks, recordColumns } from './list-query'

/**
 * Returns a record as the same JSON as in a list, or undefined if the seller has no record with this ID. Reads it from the primary, so that
 * a client finds what it has just written.
 *
 * @param id in any letter case
 * @param withSecrets whether to include the members in `Resource.secrets`
 */
export async function findRecordChunks(
  resource: Resource,
  sellerId: string,
  id: string,
  withSecrets: boolean,
): Promise<RecordChunks | undefined> {
  const { table } = resource
  const [row] = await database().use(({ bytes }) =>
    bytes(
      sql`select ${recordColumns({ resource, withSecrets })} from ${table} where ${table.sellerId} = ${sellerId} and ${table.id} = ${id.toLowerCase()}`,
      {},
    ),
  )
  return row && joinSecrets(row)
}

/** Returns a record without its secrets, like `findRecordChunks`. */
export async function findRecord(resource: Resource, sellerId: string, id: string): Promise<string | undefined> {
  const found = await findRecordChunks(resource, sellerId, id, false)
  return found && Buffer.concat(found).toString()
}
