/** Lists rows whose JSON is assembled when they are read, such as tickets: a keyset page, newest first, with the exact total. */
import { and, type SQL, sql } from 'drizzle-orm'
import { database } from '@/db/client'
import type { pages, tickets, webhookEndpoints } from '@/db/schema'
import type { CreatedParams } from '../catalog/list-params'
import type { RecordTable } from '../catalog/resource'
import { createdCondition, toCreatedRange } from './created-range'
import { keyset, readCursor, requireValidPage, toPage } from './keyset'
import { joinSecrets, type RecordChunks, type RecordPage } from './list-query'

export type AssembledListParams = CreatedParams & { limit: number; starting_after?: string | undefined; ending_before?: string | undefined }

export type AssembledList = {
  table: typeof tickets | typeof pages | typeof webhookEndpoints
  /** The name of one record, such as `ticket`, for error messages. */
  recordName: string
  /** Returns the columns `record` and `secrets` of a row, which `joinSecrets` joins. @param row an expression of the table's row type */
  columns: (row: SQL) => SQL
  /** The conditions in addition to those for the seller and the dates. */
  where?: SQL | undefined
  /** A SQL expression for the total of the list without date filters. By default, the rows are counted. */
  total?: SQL | undefined
}

/** Returns a page and its total from one snapshot. @throws the same errors as `requireValidPage` */
export async function listAssembled(
  { table, recordName, columns, where, total }: AssembledList,
  sellerId: string,
  params: AssembledListParams,
): Promise<RecordPage> {
  const { limit } = params
  const { cursor, direction } = readCursor(params)
  const range = { sellerId, created: toCreatedRange(params) }
  const isOwn = sql`${table.sellerId} = ${sellerId}`
  const matching = sql`${and(isOwn, where, createdCondition(table.createdAt, range))}`
  const counted = total && !range.created ? total : sql`(select count(*)::int from ${table} where ${matching})`
  const stored = sql`from ${table} where ${isOwn} and ${table.id} = ${cursor}`
  const page = keyset({
    from: table,
    order: [table.createdAt, table.id],
    where: matching,
    cursor: cursor === undefined ? undefined : sql`(select ${table.createdAt}, ${table.id} ${stored})`,
    direction,
    limit: limit + 1,
  })
  return database().use(async (connection) => {
    // The columns are assembled only for the rows of the page. Even if the page is empty, there is one row with the total.
    const rows = await connection.bytes(
      sql`select listed.*, counted.total from (select ${counted} as total) as counted
        left join lateral (select ${columns(sql`page.whole`)} from (select ${table} as whole ${page}) as page) as listed on true`,
      {},
    )
    const found = rows.flatMap((row) => (row[0] ? [joinSecrets(row)] : []))
    if (found.length === 0) await requireValidPage(connection, { ...range, cursor, direction }, recordName, stored)
    return { ...toPage(found, { cursor, direction, limit }), total: Number(rows[0]?.[2] ?? 0) }
  })
}

/** Returns a row as JSON, or undefined if the seller has no row with this ID. */
export async function findAssembled(
  { table, columns }: Pick<AssembledList, 'columns'> & { table: AssembledList['table'] | RecordTable },
  sellerId: string,
  id: string,
): Promise<RecordChunks | undefined> {
  const [row] = await database().use(({ bytes }) =>
    bytes(sql`select ${columns(sql`${table}`)} from ${table} where ${table.sellerId} = ${sellerId} and ${table.id} = ${id}`, {}),
  )
  return row && joinSecrets(row)
}
