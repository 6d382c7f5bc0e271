/** The one list query: a page of a seller's records by keyset, newest first, with the exact total. */
import { and, type SQL, sql } from 'drizzle-orm'
import { type Connection, database } from '@/db/client'
import { type ListParams, PAGE_SIZE } from '../catalog/list-params'
import type { Resource } from '../catalog/resource'
import { ahead, inOrder, narrowed, type Travel, travelOf } from './conditions'
import { type Asked, mustExist, type Page, pageOf, type RecordPage, secretsOf } from './page'
import { pickReadPool } from './read-pool'
import { countOf } from './record-counts'
import { searchRecords } from './search-records'

export type { RecordPage } from './page'

/** Total and page in one statement: both are of one snapshot. Columns: record, its secrets, the total. */
function pageQuery({ resource, withSecrets }: Asked, params: ListParams, travel: Travel): SQL {
  const { table } = resource
  const seller = sql.placeholder('seller')
  const filters = { status: params.status && sql.placeholder('status'), pageId: params.pageId && sql.placeholder('pageId') }
  const from = { ...travel, cursor: travel.cursor && sql.placeholder('cursor') }
  const order = inOrder(travel, sql`${table.createdAt}`, sql`${table.id}`)
  // The inner limit is a constant, by which a plan that is made once for all limits knows that few rows are wanted.
  return sql`
    select page.*, ${countOf(resource, seller, filters)} as total from (
      select ${table.record}::text as record, ${secretsOf({ resource, withSecrets })} as secrets from ${table}
      where ${and(narrowed(table, seller, filters), ahead(table, seller, from))} order by ${order} limit ${sql.raw(String(PAGE_SIZE.most + 1))}
    ) as page limit ${sql.placeholder('rows')}`
}

/** By kind of list; there are only so many kinds. */
const queries = new Map<string, SQL>()

function keptQuery(asked: Asked, params: ListParams, travel: Travel): SQL {
  const { resource, withSecrets } = asked
  const kind = `${resource.name} ${withSecrets} ${params.status !== undefined} ${params.pageId !== undefined} ${travel.cursor !== undefined} ${travel.backward}`
  const found = queries.get(kind) ?? pageQuery(asked, params, travel)
  queries.set(kind, found)
  return found
}

/** Where a page holds nothing, no row of it says how many records there are elsewhere; and its cursor may be nobody's. */
async function emptyPage(connection: Connection, asked: Asked, params: ListParams, travel: Travel): Promise<Page<Buffer>> {
  await mustExist(connection, asked, travel)
  // An empty first page is its own count.
  if (travel.cursor === undefined) return pageOf<Buffer>([], params.limit, travel, 0)
  const [row] = await connection.rows<{ total: number }>(sql`select ${countOf(asked.resource, asked.seller, params)} as total`)
  return pageOf<Buffer>([], params.limit, travel, row?.total ?? 0)
}

const COMMA = Buffer.from(',')

/** Two JSON objects, joined as they are: neither is parsed on the way out. */
function withItsSecrets([record, secrets]: (Buffer | null)[]): Buffer {
  if (!record) throw new Error('a row without a record')
  return secrets ? Buffer.concat([record.subarray(0, -1), COMMA, secrets.subarray(1)]) : record
}

/**
 * Lists records as docs/spec.md, "Shared list rules", has it: as the bytes they are stored as.
 *
 * @param seller the id of the seller whose records they are; no other's are ever looked at
 * @param params parsed by `listParams`
 * @param withSecrets whether the records may carry the members that `Resource.secrets` names
 * @throws {ApiError} `resource_missing` where the cursor is no record of this seller
 */
export async function readRecords(resource: Resource, seller: string, params: ListParams, withSecrets: boolean): Promise<Page<Buffer>> {
  const pool = await pickReadPool([resource], seller)
  const asked: Asked = { resource, seller, withSecrets }
  const { search, status, pageId, limit } = params
  if (search !== undefined) return searchRecords(pool, asked, { ...params, search })
  const travel = travelOf(params)
  const values = { seller, status, pageId, cursor: travel.cursor, rows: limit + 1 }
  return pool.use(async (connection) => {
    const rows = await connection.bytes(keptQuery(asked, params, travel), values)
    const [first] = rows
    if (!first) return emptyPage(connection, asked, params, travel)
    return pageOf(rows.map(withItsSecrets), limit, travel, Number(first[2]))
  })
}

/** As `readRecords`, its records as JSON texts. */
export async function listRecords(resource: Resource, seller: string, params: ListParams, withSecrets: boolean): Promise<RecordPage> {
  const page = await readRecords(resource, seller, params, withSecrets)
  return { ...page, records: page.records.map((record) => record.toString('utf8')) }
}

/** One record as JSON text, without its secrets; undefined where the seller has none of this id. */
export async function findRecord({ table }: Resource, seller: string, id: string): Promise<string | undefined> {
  const [row] = await database().use(({ rows }) =>
    rows<{ record: string }>(
      sql`select ${table.record}::text as record from ${table} where ${table.sellerId} = ${seller} and ${table.id} = ${id.toLowerCase()}`,
    ),
  )
  return row?.record
}
