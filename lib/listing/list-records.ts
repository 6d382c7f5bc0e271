/** Lists a seller's records: a keyset page, newest first, with the exact total from the same snapshot. */
import { type SQL, sql } from 'drizzle-orm'
import { readPool } from '@/db/client'
import { PAGE_SIZE } from '../catalog/list-params'
import { joinSecrets, type ListQuery, type RecordPage, recordColumns, recordRows, requireCursor, toRecordPage } from './list-query'
import { recordTotal, replicationState } from './record-counts'
import { searchRecords } from './search-records'

/** Cached statements by the shape of the query. There are few shapes, and building a statement takes a tenth of a request. */
const statements = new Map<string, SQL>()

/** Returns a statement that reads the total and the page in one snapshot. Columns: record, secrets, total. */
function pageStatement(query: ListQuery): SQL {
  const { resource, withSecrets, status, pageId, cursor, direction } = query
  const shape = [resource.name, withSecrets, status !== undefined, pageId !== undefined, cursor !== undefined, direction].join()
  const known = statements.get(shape)
  if (known) return known
  const bound = {
    ...query,
    sellerId: sql.placeholder('sellerId'),
    status: status && sql.placeholder('status'),
    pageId: pageId && sql.placeholder('pageId'),
    cursor: cursor && sql.placeholder('cursor'),
  }
  // The constant inner limit tells the planner that few rows are needed, even in a generic plan for any limit.
  const rows = recordRows(bound, sql.raw(String(PAGE_SIZE.most + 1)))
  const statement = sql`
    select page.*, ${recordTotal(bound)} as total from (select ${recordColumns(query)} ${rows}) as page limit ${sql.placeholder('rows')}`
  statements.set(shape, statement)
  return statement
}

/**
 * Returns a page of records as stored bytes (docs/spec.md, "Shared list rules").
 *
 * @throws {ApiError} `resource_missing` if the cursor is not a record of this seller
 */
export async function listRecords(query: ListQuery): Promise<RecordPage> {
  const { resource, sellerId, search, cursor, limit } = query
  const pool = await readPool(() => replicationState([resource], sellerId))
  if (search !== undefined) return searchRecords(pool, { ...query, search })
  return pool.use(async (connection) => {
    const rows = await connection.bytes(pageStatement(query), { ...query, rows: limit + 1 })
    let total = Number(rows[0]?.[2] ?? 0)
    // An empty page has no row with the total. Without a cursor, the list is empty; with a cursor, the total is read separately.
    if (rows.length === 0 && cursor !== undefined) {
      await requireCursor(connection, query)
      const [counted] = await connection.rows<{ total: number }>(sql`select ${recordTotal(query)} as total`)
      total = counted?.total ?? 0
    }
    return toRecordPage(query, rows.map(joinSecrets), total)
  })
}
