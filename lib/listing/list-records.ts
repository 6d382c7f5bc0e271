/** Lists a seller's records: a keyset page, newest first, and the exact total. Except in searches, both are from one snapshot. */
import { sql } from 'drizzle-orm'
import type { Database } from '@/db/client'
import { toPage } from './keyset'
import { joinSecrets, type ListQuery, pageStatement, pageValues, type RecordPage, readEmptyTotal } from './list-query'
import { listRange } from './list-range'
import { pickPool, recordTotal } from './record-counts'
import { searchRecords } from './search-records'

const readPage = (pool: Database, query: ListQuery): Promise<RecordPage> =>
  pool.use(async (connection) => {
    const statement = pageStatement(query, 'total', (bound) => sql`${recordTotal(bound)} as total`)
    const rows = await connection.bytes(statement, pageValues(query))
    const total = rows[0] ? Number(rows[0][2]) : await readEmptyTotal(connection, query, recordTotal(query))
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
