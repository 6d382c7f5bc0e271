/** Finds the records before and after a record in its list. */
import { sql } from 'drizzle-orm'
import type { Direction } from './keyset'
import { type ListQuery, recordRows } from './list-query'
import { listRecords } from './list-records'
import { tableNeighbors } from './list-table'
import { pickPool } from './record-counts'
import { type NeighborRow, type Neighbors, toNeighbors } from './sorted-rows'
import { asListQuery, type TableQuery } from './table-query'

/** Returns the neighbors in an API list, which is sorted with the newest records first. */
async function neighborsByDate(query: ListQuery, id: string): Promise<Neighbors> {
  const { resource, sellerId, search } = query
  if (search !== undefined) {
    const [newer, older] = await Promise.all(
      (['newer', 'older'] as const).map((direction) => listRecords({ ...query, cursor: id, direction, limit: 1 })),
    )
    const readId = (record: Buffer | undefined) => record && (JSON.parse(record.toString()) as { id: string }).id
    return { previous: readId(newer?.rows[0]), next: readId(older?.rows[0]) }
  }
  const pool = await pickPool([resource], sellerId)
  const first = (direction: Direction) => sql`(select id ${recordRows({ ...query, cursor: id, direction }, sql`1`)})`
  return toNeighbors(await pool.query<NeighborRow>(sql`select ${first('newer')} as previous, ${first('older')} as next`))
}

/**
 * Returns the IDs of the records before and after a record in a table's order.
 *
 * @param query the table's filters and order; its cursor is ignored
 * @param id the ID of a record of the seller, which does not need to match the filters
 */
export async function findNeighbors(query: TableQuery, id: string): Promise<Neighbors> {
  const list = asListQuery(query)
  if (!list) return tableNeighbors(query, id)
  const { previous, next } = await neighborsByDate(list, id)
  return query.isAscending ? { previous: next, next: previous } : { previous, next }
}
