/** Lists a seller's records: a keyset page, newest first, with the exact total from the same snapshot. */
import { type SQL, sql } from 'drizzle-orm'
import { readPool } from '@/db/client'
import { PAGE_SIZE } from '../catalog/list-params'
import { rangeTotals } from './created-range'
import { joinSecrets, type ListQuery, type RecordPage, recordColumns, recordRows, requireValid, toRecordPage } from './list-query'
import { rangeTotal, recordTotal, replicationState, versionToken } from './record-counts'
import { getPartition, PARTITIONS, readSellerNumber } from './search-matches'
import { searchRecords } from './search-records'

/** Cached statements by the shape of the query. There are few shapes, and building a statement takes a tenth of a request. */
const statements = new Map<string, SQL>()

/**
 * Returns a statement that reads the page and its total in one snapshot. Columns: record, secrets, total, version. The total of a date range is null
 * if the version is the placeholder `known`.
 *
 * @param number the seller's number, if there is a date range
 */
function pageStatement(query: ListQuery, number: number): SQL {
  const { resource, withSecrets, status, pageId, created, cursor, direction } = query
  const range = created?.map(({ name, isDate }) => name + isDate)
  const partition = range && number % PARTITIONS
  const shape = [
    resource.name,
    withSecrets,
    status !== undefined,
    pageId !== undefined,
    cursor !== undefined,
    direction,
    range,
    partition,
  ].join()
  const known = statements.get(shape)
  if (known) return known
  const bound = {
    ...query,
    sellerId: sql.placeholder('sellerId'),
    status: status && sql.placeholder('status'),
    pageId: pageId && sql.placeholder('pageId'),
    created: created?.map((one, at) => ({ ...one, value: sql.placeholder(`created${at}`) })),
    cursor: cursor && sql.placeholder('cursor'),
  }
  const version = versionToken(bound)
  const texts = { partition: getPartition(resource, number), number: sql.placeholder('number') }
  // A CASE evaluates a subquery only if it needs it.
  const total = created
    ? sql`case when ${version} is distinct from ${sql.placeholder('known')}::text then ${rangeTotal(bound, texts)} end as total, ${version} as version`
    : sql`${recordTotal(bound)} as total`
  // The constant inner limit tells the planner that few rows are needed, even in a generic plan for any limit.
  const rows = recordRows(bound, sql.raw(String(PAGE_SIZE.most + 1)))
  const statement = sql`
    select page.*, ${total} from (select ${recordColumns(query)} ${rows}) as page limit ${sql.placeholder('rows')}`
  statements.set(shape, statement)
  return statement
}

/**
 * Returns a page of records as stored bytes (docs/spec.md, "Shared list rules").
 *
 * @throws {ApiError} `resource_missing` if the cursor is not a record of this seller, `parameter_invalid` if the date filters contradict each other
 */
export async function listRecords(query: ListQuery): Promise<RecordPage> {
  const { resource, sellerId, status, pageId, created, search, cursor, limit } = query
  const pool = await readPool(() => replicationState([resource], sellerId))
  if (search !== undefined) return searchRecords(pool, { ...query, search })
  const number = created ? await readSellerNumber(pool, sellerId) : 0
  return pool.use(async (connection) => {
    const key = created && JSON.stringify([sellerId, resource.name, status, pageId, created])
    const cached = key === undefined ? undefined : rangeTotals.get(key)
    const [created0, created1] = created ?? []
    const known = cached?.version ?? null
    const values = { ...query, number, created0: created0?.value, created1: created1?.value, known, rows: limit + 1 }
    const rows = await connection.bytes(pageStatement(query, number), values)
    const [, , counted, version] = rows[0] ?? []
    let total = Number(counted ?? (rows.length > 0 ? cached?.total : 0))
    if (key !== undefined && counted) rangeTotals.set(key, { version: String(version), total })
    // An empty page has no row with the total. Without a cursor, the list is empty; with a cursor, the total is read separately.
    if (rows.length === 0) {
      await requireValid(connection, query)
      if (cursor !== undefined) {
        const whole = created ? rangeTotal(query, { partition: getPartition(resource, number), number }) : recordTotal(query)
        const [row] = await connection.rows<{ total: number }>(sql`select ${whole} as total`)
        total = row?.total ?? 0
      }
    }
    return toRecordPage(query, rows.map(joinSecrets), total)
  })
}
