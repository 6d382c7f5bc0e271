/** The one list query: a page of a seller's records by keyset, newest first, with the exact total. */
import { and, sql } from 'drizzle-orm'
import { type Connection, database } from '@/db/client'
import { ahead, inOrder, narrowed, type Travel, travelOf } from './conditions'
import { countOf } from './counts'
import { type ListParams, MAX_LIMIT } from './list-params'
import { type Asked, Lapsed, mustExist, pageOf, type RecordPage, type Row, secretsOf } from './page'
import type { Resource } from './resource'
import { searchRecords } from './search'

export type { RecordPage } from './page'

type Facts = { total: number; holds: boolean }

/** Total and page in one statement: both are of one snapshot. */
function pageQuery(asked: Asked, params: ListParams, travel: Travel) {
  const { resource, seller, holds } = asked
  const { table } = resource
  const order = inOrder(travel, sql`${table.createdAt}`, sql`${table.id}`)
  // The inner limit is a constant, by which a plan that is made once for all limits knows that few rows are wanted.
  return sql`
    select page.*, ${countOf(resource, seller, params)} as total, ${holds} as holds from (
      select ${table.record}::text as record, ${secretsOf(asked)} as secrets from ${table}
      where ${and(narrowed(table, seller, params), ahead(table, seller, travel))} order by ${order} limit ${sql.raw(String(MAX_LIMIT + 1))}
    ) as page limit ${params.limit + 1}`
}

/** Where a page holds nothing, no row of it says how many records there are elsewhere; and its cursor may be nobody's. */
async function emptyPage(connection: Connection, asked: Asked, params: ListParams, travel: Travel): Promise<RecordPage> {
  const { resource, seller, holds } = asked
  const [facts] = await connection.rows<Facts>(sql`select ${countOf(resource, seller, params)} as total, ${holds} as holds`)
  if (!facts?.holds) throw new Lapsed()
  await mustExist(connection, asked, travel)
  // A first page that holds nothing is its own count.
  return pageOf([], params.limit, travel, travel.cursor === undefined ? 0 : facts.total)
}

/**
 * Lists records as docs/spec.md, "Shared list rules", has it.
 *
 * @param seller the id of the seller whose records they are; no other's are ever looked at
 * @param params parsed by `listParams`
 * @param withSecrets whether the records may carry the members that `Resource.secrets` names
 * @param holds a condition of the caller's, true or false in the very snapshot that is read
 * @throws {ApiError} `resource_missing` where the cursor is no record of this seller
 * @throws {Lapsed} where `holds` is false
 */
export async function listRecords(
  resource: Resource,
  seller: string,
  params: ListParams,
  withSecrets: boolean,
  holds = sql`true`,
): Promise<RecordPage> {
  const asked: Asked = { resource, seller, withSecrets, holds }
  const { search } = params
  if (search !== undefined) return searchRecords(asked, { ...params, search })
  const travel = travelOf(params)
  return database().use(async (connection) => {
    const rows = await connection.rows<Row & Facts>(pageQuery(asked, params, travel))
    const [first] = rows
    if (!first) return emptyPage(connection, asked, params, travel)
    if (!first.holds) throw new Lapsed()
    return pageOf(rows, params.limit, travel, first.total)
  })
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
