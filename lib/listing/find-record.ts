/** Finds one record by its ID. */
import type { Resource } from '../catalog/resource'
import { findAssembled } from './assembled-list'
import { type RecordChunks, recordColumns } from './list-query'

/**
 * Returns a record as the same JSON as in a list, or undefined if the seller has no record with this ID. Reads it from the primary, so that
 * a client finds what it has just written.
 *
 * @param id in any letter case
 * @param withSecrets whether to include the members in `Resource.secrets`
 */
export const findRecordChunks = (
  resource: Resource,
  sellerId: string,
  id: string,
  withSecrets: boolean,
): Promise<RecordChunks | undefined> =>
  findAssembled({ table: resource.table, columns: () => recordColumns({ resource, withSecrets }) }, sellerId, id.toLowerCase())

/** Returns a record without its secrets, like `findRecordChunks`. */
export async function findRecord(resource: Resource, sellerId: string, id: string): Promise<string | undefined> {
  const found = await findRecordChunks(resource, sellerId, id, false)
  return found && Buffer.concat(found).toString()
}
