/** The one list query: a page of a seller's records by keyset, newest first, with the exact total. */
import { and, eq, type SQL, sql } from 'drizzle-orm'
import { type Connection, database } from '@/db/client'
import { ApiError } from '../errors'
import type { ListParams } from './list-params'
import type { RecordTable, Resource } from './resource'

// Spec silent: what `total` and `has_more` count.
export type RecordPage = {
  /** JSON texts, newest first. */
  records: string[]
  /** Whether more records lie ahead in the direction of travel. */
  hasMore: boolean
  /** How many records match the filters, wherever the page is. */
  total: number
}

// Spec silent: how a search matches. Literally, in lower case, anywhere in one field (`desk_fold` and the derived `search`).
/** In LIKE a term's own `%`, `_` and `\` are ordinary characters. */
const escapeLike = (term: string) => term.replace(/[\\%_]/g, '\\$&')

/** What a list's filters leave, of one seller: for every query that is to see the same records as the list. */
export function matching(table: RecordTable, seller: string, { status, pageId, search }: Omit<ListParams, 'limit'>): SQL {
  const conditions = [eq(table.sellerId, seller)]
  if (status !== undefined && 'status' in table) conditions.push(eq(table.status, status))
  if (pageId !== undefined && 'pageId' in table) conditions.push(eq(table.pageId, pageId))
  if (search !== undefined) conditions.push(sql`${table.search} like '%' || desk_fold(${escapeLike(search)}::text) || '%'`)
  return and(...conditions) as SQL
}

// Spec silent: the order of records of one instant, and which cursor is known.
/** Compared in SQL, where an instant keeps its microseconds and an id its collation. */
const beyond = (table: RecordTable, seller: string, cursor: string, direction: SQL) => sql`
  (${table.createdAt}, ${table.id}) ${direction}
  (select ${table.createdAt}, ${table.id} from ${table} where ${table.sellerId} = ${seller} and ${table.id} = ${cursor})`

async function countRecords({ rows }: Connection, table: RecordTable, matches: SQL): Promise<number> {
  const [row] = await rows<{ total: number }>(sql`select count(*)::int as total from ${table} where ${matches}`)
  return row?.total ?? 0
}

async function mustExist({ rows }: Connection, { name, table }: Resource, seller: string, cursor: string, param: string): Promise<void> {
  const found = await rows(sql`select 1 from ${table} where ${table.sellerId} = ${seller} and ${table.id} = ${cursor}`)
  if (found.length === 0) {
    const message = `No record '${cursor}' is in your ${name}. Take the id of the last or the first record of a page you got.`
    throw new ApiError('resource_missing', message, param)
  }
}

/**
 * Lists records as docs/spec.md, "Shared list rules", has it.
 *
 * @param seller the id of the seller whose records they are; no other's are ever looked at
 * @param params parsed by `listParams`
 * @param withSecrets whether the records may carry the members that `Resource.secrets` names
 * @throws {ApiError} `resource_missing` where the cursor is no record of this seller
 */
export async function listRecords(resource: Resource, seller: string, params: ListParams, withSecrets: boolean): Promise<RecordPage> {
  const { table } = resource
  const { limit, starting_after, ending_before } = params
  const backward = ending_before !== undefined
  const cursor = ending_before ?? starting_after
  const matches = matching(table, seller, params)
  const ahead = cursor === undefined ? undefined : beyond(table, seller, cursor, backward ? sql`>` : sql`<`)
  const order = backward ? sql`${table.createdAt}, ${table.id}` : sql`${table.createdAt} desc, ${table.id} desc`
  const secrets = withSecrets && resource.secrets.length > 0 ? sql`${table.secrets}::text` : sql`null`

  return database().use(async (connection) => {
    const rows = await connection.rows<{ record: string; secrets: string | null }>(
      sql`select ${table.record}::text as record, ${secrets} as secrets from ${table} where ${and(matches, ahead)} order by ${order} limit ${limit + 1}`,
    )
    if (cursor !== undefined && rows.length === 0) {
      await mustExist(connection, resource, seller, cursor, backward ? 'ending_before' : 'starting_after')
    }
    const hasMore = rows.length > limit
    const page = rows.slice(0, limit)
    if (backward) page.reverse()
    // A first page that holds everything is its own count.
    const total = cursor === undefined && !hasMore ? page.length : await countRecords(connection, table, matches)
    return { records: page.map(withItsSecrets), hasMore, total }
  })
}

/**
 * Where in its list a record stands, 1 being the newest. Counts what is ahead of it, so deep in a long list it takes as long as a total.
 *
 * @param id a record of this seller; it need not match the filters itself
 */
export async function positionOf({ table }: Resource, seller: string, params: ListParams, id: string): Promise<number> {
  const ahead = and(matching(table, seller, params), beyond(table, seller, id, sql`>`)) as SQL
  return database().use(async (connection) => 1 + (await countRecords(connection, table, ahead)))
}

/** How many records each status has under the other filters; a status that none has is left out. */
export async function countByStatus({ table }: Resource, seller: string, params: ListParams): Promise<Record<string, number>> {
  if (!('status' in table)) return {}
  const matches = matching(table, seller, { ...params, status: undefined })
  const counts = await database().use(({ rows }) =>
    rows<{ status: string | null; total: number }>(
      sql`select ${table.status} as status, count(*)::int as total from ${table} where ${matches} group by ${table.status}`,
    ),
  )
  return Object.fromEntries(counts.flatMap(({ status, total }) => (status === null ? [] : [[status, total]])))
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

/** Two JSON objects, joined as texts: neither is parsed on the way out. */
const withItsSecrets = ({ record, secrets }: { record: string; secrets: string | null }) =>
  secrets === null ? record : `${record.slice(0, -1)},${secrets.slice(1)}`
