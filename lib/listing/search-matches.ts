/** Which records hold a term: in a window next to the cursor, or all of them, by the trigram index or by reading every text. */
import { and, type SQL, sql } from 'drizzle-orm'
import type { ListParams } from '../catalog/list-params'
import type { Resource } from '../catalog/resource'
import { escapeLike } from '../core/sql'
import { ahead, inOrder, narrowed, type Travel } from './conditions'
import { type Asked, secretsOf } from './page'

export type Search = { asked: Asked; params: ListParams & { search: string }; travel: Travel }

// Spec silent: how a search matches. Literally, in lower case, anywhere in one field (`desk_fold` and the derived `search`).
/** A subquery, so that it is folded once and not for each row. */
const pattern = ({ params: { search } }: Search) => sql`(select '%' || desk_fold(${escapeLike(search)}::text) || '%')`

/** What is asked for where nothing but the term and the filters counts. */
export const searchFor = (resource: Resource, seller: string, params: Search['params']): Search => ({
  asked: { resource, seller, withSecrets: false },
  params,
  travel: { cursor: undefined, backward: false },
})

/** Whether a row that an index carries matches; a text that is too long for an index is read from its record's row. */
export const holdsTerm = (search: Search, row: SQL) => sql`
  case when ${row}.search is not null then ${row}.search like ${pattern(search)} else coalesce((
    select whole.search_long like ${pattern(search)} from ${search.asked.resource.table} as whole
    where whole.seller_id = ${search.asked.seller} and whole.id = ${row}.id
  ), false) end`

/** What the filters let through, with its text, as one index has it. The `limit` or `offset` in it lets no condition from outside in. */
function texts({ asked: { resource, seller }, params }: Search, from: SQL | undefined, fence: SQL, besides = sql``): SQL {
  const { table } = resource
  return sql`(
    select ${table.id} as id, ${table.createdAt} as created_at, ${table.search} as search ${besides} from ${table}
    where ${and(narrowed(table, seller, params), from)} ${fence})`
}

/** The ids of the matches among the `window` records next to the cursor, at most `most`, in the direction of travel. */
export function matchesNear(search: Search, window: number, most: number): SQL {
  const { asked, travel } = search
  const { table } = asked.resource
  const order = inOrder(travel, sql`${table.createdAt}`, sql`${table.id}`)
  const near = texts(search, ahead(table, asked.seller, travel), sql`order by ${order} limit ${sql.raw(String(window))}`)
  return sql`select near.id from ${near} as near where ${holdsTerm(search, sql`near`)}
    order by ${inOrder(travel, sql`near.created_at`, sql`near.id`)} limit ${sql.raw(String(most))}`
}

/** The few whose text is too long for an index to carry. */
function longMatches(search: Search): SQL {
  const { asked, params } = search
  const { table } = asked.resource
  return sql`select ${table.id} as id, ${table.createdAt} as created_at from ${table}
    where ${narrowed(table, asked.seller, params)} and ${table.searchLong} like ${pattern(search)}`
}

/** Ids and instants of every match, by reading every text: as long as it takes, and no longer for any term. */
export const matchesByText = (search: Search): SQL => sql`
  select each.id, each.created_at from ${texts(search, undefined, sql`offset 0`)} as each where each.search like ${pattern(search)}
  union all ${longMatches(search)}`

/** How many matches each status has, whatever status the list is narrowed to; read from one index, as every other text is. */
export function matchesByStatus(search: Search): SQL | undefined {
  const { table } = search.asked.resource
  if (!('status' in table)) return undefined
  const all = { ...search, params: { ...search.params, status: undefined } }
  const each = texts(all, undefined, sql`offset 0`, sql`, ${table.status} as status`)
  return sql`select each.status, count(*)::int as total from ${each} as each where ${holdsTerm(search, sql`each`)} group by each.status`
}

/**
 * The same by the trigram index: quick for a term that few records hold. Whose records they are is asked outside a fence:
 * inside it the planner would read the index of all of the seller's records as well, which takes longer than everything else.
 */
export function matchesByTrigrams(search: Search): SQL {
  const { asked, params } = search
  const { table } = asked.resource
  const columns = [sql`${table.id} as id`, sql`${table.createdAt} as created_at`, sql`${table.sellerId} as seller_id`]
  const conditions = [sql`held.seller_id = ${asked.seller}`]
  if ('status' in table) {
    columns.push(sql`${table.status} as status`, sql`${table.pageId} as page_id`)
    if (params.status !== undefined) conditions.push(sql`held.status = ${params.status}`)
    if (params.pageId !== undefined) conditions.push(sql`held.page_id = ${params.pageId}`)
  }
  return sql`
    select held.id, held.created_at from (
      select ${sql.join(columns, sql`, `)} from ${table} where ${table.search} like ${pattern(search)} offset 0
    ) as held where ${and(...conditions)}
    union all ${longMatches(search)}`
}

/** The records of some ids in the direction of travel, beside facts that are there even where no record is. */
export function recordsOf({ asked, travel }: Search, facts: SQL, ids: SQL): SQL {
  const { table } = asked.resource
  return sql`
    select facts.*, page.record, page.secrets from (select ${facts}) as facts left join (
      select found.* from (${ids}) as wanted cross join lateral (
        select ${table.record}::text as record, ${secretsOf(asked)} as secrets, ${table.createdAt} as created_at, ${table.id} as id
        from ${table} where ${table.sellerId} = ${asked.seller} and ${table.id} = wanted.id limit 1
      ) as found
    ) as page on true order by ${inOrder(travel, sql`page.created_at`, sql`page.id`)}`
}
