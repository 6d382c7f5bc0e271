/** The SQL that finds the records containing a term: near the cursor, with the trigram index, or by scanning every text. */
import { and, type SQL, sql } from 'drizzle-orm'
import { escapeLike } from '../core/sql'
import { createdCondition } from './created-range'
import { keyset, orderBy } from './keyset'
import { cursorRow, filterConditions, type ListQuery, recordColumns, recordRows } from './list-query'

export type SearchQuery = ListQuery & { search: string }

// Spec silent: how a search matches. It matches literally, in lowercase, anywhere in one field (`desk_fold` and the derived `search`).
/** Returns the pattern as a subquery, so that the term is folded once instead of per row. */
const pattern = ({ search }: SearchQuery) => sql`(select '%' || desk_fold(${escapeLike(search)}::text) || '%')`

/** Returns the condition that a text contains the term. Texts that are too long for the index are read from the table. */
export const containsTerm = (query: SearchQuery, row: SQL) => sql`
  case when ${row}.search is not null then ${row}.search like ${pattern(query)} else coalesce((
    select whole.search_long like ${pattern(query)} from ${query.resource.table} as whole
    where whole.seller_id = ${query.sellerId} and whole.id = ${row}.id
  ), false) end`

/** Returns the columns of a text. One index contains all of them. */
const textColumns = ({ resource: { table } }: SearchQuery) =>
  sql`${table.id} as id, ${table.createdAt} as created_at, ${table.search} as search`

/** Selects every text that matches the filters. `offset 0` keeps the planner from pushing conditions of the outer query down. */
const allTexts = (query: SearchQuery, columns: SQL = textColumns(query)) =>
  sql`(select ${columns} from ${query.resource.table} where ${filterConditions(query)} offset 0)`

/** Selects the texts of the next `window` records. @param cursor as in `recordRows` */
export const nextTexts = (query: SearchQuery, window: number, cursor?: SQL) =>
  sql`(select ${textColumns(query)} ${recordRows(query, sql.raw(String(window)), cursor)})`

/** Selects the IDs of the matches among the `window` records after the cursor, at most `limit`. */
export const matchesNear = (query: SearchQuery, window: number, limit: number): SQL => sql`
  select near.id from ${nextTexts(query, window)} as near where ${containsTerm(query, sql`near`)}
  order by ${orderBy([sql`near.created_at`, sql`near.id`], query.direction)} limit ${sql.raw(String(limit))}`

/** Selects the matches among the few records whose text is too long for an index. */
function longMatches(query: SearchQuery): SQL {
  const { table } = query.resource
  return sql`select ${table.id} as id, ${table.createdAt} as created_at from ${table}
    where ${filterConditions(query)} and ${table.searchLong} like ${pattern(query)}`
}

/** Selects every match by scanning every text, which takes the same time for any term. */
export const matchesByText = (query: SearchQuery): SQL => sql`
  select text.id, text.created_at from ${allTexts(query)} as text where text.search like ${pattern(query)}
  union all ${longMatches(query)}`

/** Counts the matches per status, with every filter except the status. Returns undefined if the resource has no status. */
export function matchesByStatus(query: SearchQuery): SQL | undefined {
  const { table } = query.resource
  if (!('status' in table)) return undefined
  const columns = sql`${textColumns(query)}, ${table.status} as status`
  return sql`select text.status, count(*)::int as total from ${allTexts({ ...query, status: undefined }, columns)} as text
    where ${containsTerm(query, sql`text`)} group by text.status`
}

/**
 * Selects every match with the trigram index, which is fast for a rare term. Seller and filters are compared outside
 * `offset 0`. Inside, the planner would combine the trigram index with the index of all the seller's records, which is far slower.
 */
export function matchesByTrigrams(query: SearchQuery): SQL {
  const { table } = query.resource
  const columns = [sql`${table.id} as id`, sql`${table.createdAt} as created_at`, sql`${table.sellerId} as seller_id`]
  const conditions = [sql`match.seller_id = ${query.sellerId}`]
  if ('status' in table) {
    columns.push(sql`${table.status} as status`, sql`${table.pageId} as page_id`)
    if (query.status !== undefined) conditions.push(sql`match.status = ${query.status}`)
    if (query.pageId !== undefined) conditions.push(sql`match.page_id = ${query.pageId}`)
  }
  return sql`
    select match.id, match.created_at from (
      select ${sql.join(columns, sql`, `)} from ${table} where ${table.search} like ${pattern(query)} offset 0
    ) as match where ${and(...conditions, createdCondition(sql`match.created_at`, query))}
    union all ${longMatches(query)}`
}

/** Selects the IDs of the next page, and of the row after it, from a CTE named `match`. */
export function nextMatches(query: SearchQuery): SQL {
  const order = [sql`match.created_at`, sql`match.id`] as const
  const { direction, limit } = query
  return sql`select match.id ${keyset({ from: sql`match`, order, where: sql`true`, cursor: cursorRow(query), direction, limit: limit + 1 })}`
}

/** Selects the records with the given IDs in the query's order, with `facts` in every row. Returns one row without a record if there are none. */
export function recordsWithFacts(query: SearchQuery, facts: SQL, ids: SQL): SQL {
  const { table } = query.resource
  return sql`
    select page.record, page.secrets, facts.* from (select ${facts}) as facts left join (
      select found.* from (${ids}) as wanted cross join lateral (
        select ${recordColumns(query)}, ${table.createdAt} as created_at, ${table.id} as id
        from ${table} where ${table.sellerId} = ${query.sellerId} and ${table.id} = wanted.id limit 1
      ) as found
    ) as page on true order by ${orderBy([sql`page.created_at`, sql`page.id`], query.direction)}`
}
