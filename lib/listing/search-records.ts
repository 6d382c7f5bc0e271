/** A page of the records that hold a term, with the exact total: ids first, from narrow indexes, then the records by their keys. */
import { type SQL, sql } from 'drizzle-orm'
import type { Connection, Database } from '@/db/client'
import { PAGE_SIZE } from '../catalog/list-params'
import type { Resource } from '../catalog/resource'
import { ahead, inOrder, type Travel, travelOf } from './conditions'
import { type Asked, mustExist, type Page, pageOf } from './page'
import { pickReadPool } from './read-pool'
import { changesOf, countOf } from './record-counts'
import { MOST_IDS, type Remembered, recallSearch, rememberSearch } from './search-cache'
import { matchesByText, matchesByTrigrams, matchesNear, recordsOf, type Search, searchFor } from './search-matches'

/** How many records next to the cursor are looked at before anything else is tried: a millisecond or two. */
const WINDOW = 5_000
/** How long the trigram index may take. What it has not found by then is too much for it, and reading every text is quicker. */
const TRIGRAMS_MS = 150
/** PostgreSQL's query_canceled. */
const CANCELED = '57014'

const keyOf = ({ asked: { resource, seller }, params: { status, pageId, search } }: Search) =>
  JSON.stringify([seller, resource.name, status, pageId, search])

type Facts = {
  /** As `changesOf` has it. */
  changes: string
  /** How many records the filters let through, whatever they hold. */
  narrowed: number
}

const factsOf = ({ asked: { resource, seller }, params }: Search) => sql`
  ${changesOf(resource, seller)} as changes, ${countOf(resource, seller, params)} as narrowed`

type Found<F> = { facts: F; found: Buffer[] }

type Row = { record: string | null; secrets: string | null }

/** Two JSON objects, joined as texts: neither is parsed on the way out. */
const withItsSecrets = ({ record, secrets }: Row) =>
  record === null ? [] : [Buffer.from(secrets === null ? record : `${record.slice(0, -1)},${secrets.slice(1)}`)]

async function read<F extends Facts>({ rows }: Connection, query: SQL): Promise<Found<F>> {
  const all = await rows<F & Row>(query)
  const [facts] = all
  if (!facts) throw new Error('a search without facts')
  return { facts, found: all.flatMap(withItsSecrets) }
}

/** The ids of a page and one more, out of all of them; undefined where the cursor is none of them. */
function cut(ids: readonly string[], limit: number, { cursor, backward }: Travel): string[] | undefined {
  if (cursor === undefined) return ids.slice(0, limit + 1)
  const at = ids.indexOf(cursor)
  if (at === -1) return undefined
  return backward ? ids.slice(Math.max(0, at - limit - 1), at) : ids.slice(at + 1, at + limit + 2)
}

/** A page of a search whose every match is remembered; that nothing has changed is asked in the statement that reads it. */
async function recalledPage(pool: Database, search: Search, { ids, changes, total }: Remembered): Promise<Page<Buffer> | undefined> {
  const { params, travel } = search
  const page = ids && cut(ids, params.limit, travel)
  if (!page) return undefined
  const wanted = sql`select unnest(${sql.param(page)}::text[]) as id`
  const { facts, found } = await pool.use((connection) => read<Facts>(connection, recordsOf(search, factsOf(search), wanted)))
  return facts.changes === changes ? pageOf(found, params.limit, travel, total) : undefined
}

/** The matches next to the cursor: a page that is full is one, and so is any where the window reaches the end. */
function nearQuery(search: Search): SQL {
  const near = matchesNear(search, WINDOW, PAGE_SIZE.most + 1)
  return recordsOf(search, factsOf(search), sql`select id from (${near}) as nearest limit ${search.params.limit + 1}`)
}

type AllFacts = Facts & { total: number; ids: string[] }

/** Every match: how many, which if they are few, and the page out of them. */
function allQuery(search: Search, matches: SQL): SQL {
  const { asked, params, travel } = search
  const beyond = ahead(asked.resource.table, asked.seller, travel, sql`(match.created_at, match.id)`)
  return sql`with match as materialized (${matches}) ${recordsOf(
    search,
    sql`${factsOf(search)}, (select count(*)::int from match) as total,
      array(select id from match order by created_at desc, id desc limit ${sql.raw(String(MOST_IDS + 1))}) as ids`,
    sql`select match.id from match ${beyond ? sql`where ${beyond}` : sql``}
      order by ${inOrder(travel, sql`match.created_at`, sql`match.id`)} limit ${params.limit + 1}`,
  )}`
}

/** The trigram index is too slow for this term. */
class TooMany extends Error {}

/** Nothing but the trigram index, and for so long only: the planner can't know how many records hold a term. */
async function allByTrigrams(pool: Database, search: Search): Promise<Found<AllFacts> | undefined> {
  if (!/[\p{L}\p{N}]{3}/u.test(search.params.search)) return undefined
  try {
    return await pool.transaction(async (connection) => {
      const settings = connection.rows(sql`
        select set_config('statement_timeout', ${String(TRIGRAMS_MS)}, true), set_config('enable_seqscan', 'off', true),
          set_config('enable_indexscan', 'off', true), set_config('enable_indexonlyscan', 'off', true)`)
      const answer = read<AllFacts>(connection, allQuery(search, matchesByTrigrams(search)))
      const [, all] = await Promise.all([settings, answer]).catch((error: { code?: string }) => {
        throw error.code === CANCELED ? new TooMany() : error
      })
      return all
    })
  } catch (error) {
    if (error instanceof TooMany) return undefined
    throw error
  }
}

const readAll = async (pool: Database, search: Search): Promise<Found<AllFacts>> =>
  (await allByTrigrams(pool, search)) ??
  (await pool.use((connection) => read<AllFacts>(connection, allQuery(search, matchesByText(search)))))

/**
 * The newest records that hold a term, as JSON, uncounted: for who looks while someone types.
 *
 * @param most at most 100
 */
export async function newestMatches(resource: Resource, seller: string, term: string, most: number): Promise<Buffer[]> {
  const search = searchFor(resource, seller, { limit: most, search: term })
  const pool = await pickReadPool([resource], seller)
  const near = await pool.use((connection) => read<Facts>(connection, nearQuery(search)))
  const { found } = near.found.length >= most || near.facts.narrowed <= WINDOW ? near : await readAll(pool, search)
  return found.slice(0, most)
}

/** The total and the changes it was counted at, in one statement. */
async function count(pool: Database, search: Search): Promise<{ total: number; changes: string }> {
  const [counted] = await pool.use(({ rows }) =>
    rows<{ total: number; changes: string }>(sql`
      select ${changesOf(search.asked.resource, search.asked.seller)} as changes, count(*)::int as total
      from (${matchesByText(search)}) as match`),
  )
  if (!counted) throw new Error('a count without a row')
  return counted
}

/**
 * A page of the records that hold a term.
 *
 * A total that was counted before is taken for as long as nothing of the seller's resource has changed. Where it has to be counted
 * after the page was read, it is of that later moment.
 *
 * @param pool where it is read, as `pickReadPool` has it
 * @throws as `listRecords` does
 */
export async function searchRecords(pool: Database, asked: Asked, params: Search['params']): Promise<Page<Buffer>> {
  const travel = travelOf(params)
  const search: Search = { asked, params, travel }
  const { limit } = params
  const key = keyOf(search)
  const recalled = recallSearch(key)
  const page = recalled && (await recalledPage(pool, search, recalled))
  if (page) return page

  const { facts, found } = await pool.use(async (connection) => {
    const near = await read<Facts>(connection, nearQuery(search))
    if (near.found.length === 0) await mustExist(connection, asked, travel)
    return near
  })
  if (found.length > limit || facts.narrowed <= WINDOW) {
    if (recalled?.changes === facts.changes) return pageOf(found, limit, travel, recalled.total)
    // A first page that holds everything is its own count.
    const counted = travel.cursor === undefined && found.length <= limit ? { ...facts, total: found.length } : await count(pool, search)
    rememberSearch(key, { changes: counted.changes, total: counted.total })
    return pageOf(found, limit, travel, counted.total)
  }

  const all = await readAll(pool, search)
  const { changes, total, ids } = all.facts
  rememberSearch(key, { changes, total, ...(total <= MOST_IDS && { ids }) })
  return pageOf(all.found, limit, travel, total)
}
