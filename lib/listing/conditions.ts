/** What a list is narrowed to, as SQL: the seller and the filters, and the side of a cursor. */
import { and, eq, type Placeholder, type SQL, sql } from 'drizzle-orm'
import type { ListParams } from '../catalog/list-params'
import type { RecordTable } from '../catalog/resource'

/** A value, or the place where it will be put. */
export type Bound = string | Placeholder

export type Narrowed = { status?: Bound | undefined; pageId?: Bound | undefined }

/** Only this seller's, and only what the filters let through; a search is no part of it. */
export function narrowed(table: RecordTable, seller: Bound, { status, pageId }: Narrowed): SQL {
  const conditions = [eq(table.sellerId, seller)]
  if (status !== undefined && 'status' in table) conditions.push(eq(table.status, status))
  if (pageId !== undefined && 'pageId' in table) conditions.push(eq(table.pageId, pageId))
  return and(...conditions) as SQL
}

export type Travel<Cursor extends Bound = string> = { cursor: Cursor | undefined; backward: boolean }

export const travelOf = ({ starting_after, ending_before }: ListParams): Travel => ({
  cursor: ending_before ?? starting_after,
  backward: ending_before !== undefined,
})

// Spec silent: the order of records of one instant, and which cursor is known.
/**
 * What lies ahead of the cursor. Compared in SQL, where an instant keeps its microseconds and an id its collation.
 *
 * @param place the row's own instant and id, where they are not the table's columns
 */
export function ahead(
  table: RecordTable,
  seller: Bound,
  { cursor, backward }: Travel<Bound>,
  place = sql`(${table.createdAt}, ${table.id})`,
) {
  if (cursor === undefined) return undefined
  return sql`${place} ${backward ? sql`>` : sql`<`}
    (select ${table.createdAt}, ${table.id} from ${table} where ${table.sellerId} = ${seller} and ${table.id} = ${cursor})`
}

/** In the direction of travel. */
export const inOrder = ({ backward }: Pick<Travel, 'backward'>, createdAt: SQL, id: SQL) =>
  backward ? sql`${createdAt}, ${id}` : sql`${createdAt} desc, ${id} desc`
