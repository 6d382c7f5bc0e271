/** Lists a seller's records: a keyset page, newest first, and the exact total. Except in searches, both are from one snapshot. */
import { sql } from 'drizzle-orm'
import type { Database } from '@/db/client'
import { toPage } from './keyset'
import { joinSecrets, type ListQuery, pageStatement, pageValues, type RecordPage, requireValid } from './list-query'
import { listRange } from './list-range'
import { pickPool, recordTotal } from './record-counts'
import { searchRecords } from './search-records'

const readPage = (pool: Database, query: ListQuery): Promise<RecordPage> =>
  pool.use(async (connection) => {
    const statement = pageStatement(query, 'total', (bound) => sql`${recordTotal(bound)} as total`)
    const rows = await connection.bytes(statement, pageValues(query))
    let total = Number(rows[0]?.[2] ?? 0)
    // An empty page has no row with the total. Without a cursor, the list is empty; with a cursor, the total is read separately.
    if (rows.length === 0) {
      await requireValid(connection, query)
      const [row] = query.cursor === undefined ? [] : await connection.rows<{ total: number }>(sql`select ${recordTotal(query)} as total`)
      total = row?.total ?? 0
    }
    return { ...toPage(rows.map(joinSecrets), query), total }
  })

/**
 * Returns a page of records as stored bytes, each in one or more chunks (docs/spec.md, "Shared list rules").
 *
 * @throws {ApiError} `resource_missing` if the cursor is not a record of this seller; `parameter_invalid` if the date range is reversed
 */
export async function listChunks(query: ListQuery): Promise<RecordPage> {
  const { resource, sellerId, created, search } = query
  const pool = await pickPool([resource], sellerId)
  if (search !== undefined) return searchRecords(pool, { ...query, search })
  return created === undefined ? readPage(pool, query) : listRange(pool, { ...query, created })
}

/** Returns the same page as `listChunks`, with each record as one buffer. */
export async function listRecords(query: ListQuery) {
  const page = await listChunks(query)
  return { ...page, rows: page.rows.map((chunks) => Buffer.concat(chunks)) }
}
