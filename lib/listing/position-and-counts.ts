/** Computes a page's position in the list, and the number of records per status, for the dashboard. */
import { sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import { readPool } from '@/db/client'
import { type ListQuery, recordRows } from './list-query'
import { countByStatus, replicationState, versionToken } from './record-counts'
import { matchesByStatus, matchesNear } from './search-matches'

/** The number of records that can be counted in about two milliseconds. */
const NEAR = 10_000
/** Counts any number of preceding records, which takes as long as counting a total. */
export const NO_LIMIT = 2 ** 31 - 2

/**
 * Returns the position of a record in its list (1 for the newest), or undefined if more than `max` records come before it.
 *
 * @param id the ID of a record of this seller, which does not need to match the filters
 */
export async function positionOf(query: ListQuery, id: string, max = NEAR): Promise<number | undefined> {
  const { resource, sellerId, search } = query
  const newer: ListQuery = { ...query, cursor: id, direction: 'newer' }
  const filtered = sql`(select count(*)::int from (select id ${recordRows(newer, sql.raw(String(max + 1)))}) as newer)`
  const matching =
    search === undefined ? filtered : sql`(select count(*)::int from (${matchesNear({ ...newer, search }, max, max)}) as matching)`
  const pool = await readPool(() => replicationState([resource], sellerId))
  const [row] = await pool.use(({ rows }) =>
    rows<{ filtered: number; matching: number }>(sql`select ${filtered} as filtered, ${matching} as matching`),
  )
  return row && row.filtered <= max ? row.matching + 1 : undefined
}

type Counts = Record<string, number>

/** Cached counts of searches, with the version of the resource that they belong to. */
const cache = new LRUCache<string, { version: string; counts: Counts }>({ max: 1_000 })

/** Returns the number of records per status, with the other filters applied. Statuses without records are omitted. */
export async function statusCounts(query: ListQuery): Promise<Counts> {
  const { resource, sellerId, pageId, search } = query
  const pool = await readPool(() => replicationState([resource], sellerId))
  const matches = search === undefined ? undefined : matchesByStatus({ ...query, search })
  if (!matches) return countByStatus(pool, query)
  const key = JSON.stringify([sellerId, resource.name, pageId, search])
  return pool.use(async ({ rows }) => {
    const cached = cache.get(key)
    if (cached) {
      const [now] = await rows<{ version: string }>(sql`select ${versionToken(query)} as version`)
      if (now?.version === cached.version) return cached.counts
    }
    const [counted] = await rows<{ version: string; counts: string | null }>(sql`
      select ${versionToken(query)} as version,
        (select json_object_agg(status, total)::text from (${matches}) as counted where status is not null) as counts`)
    if (!counted) throw new Error('The count returned no row.')
    const counts = JSON.parse(counted.counts ?? '{}') as Counts
    cache.set(key, { version: counted.version, counts })
    return counts
  })
}
