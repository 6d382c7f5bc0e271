/** Computes a record's position in its list, and the number of records per status, for the dashboard. */
import { type SQL, sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import { filterConditions, type ListQuery, recordRows } from './list-query'
import { countByStatus, pickPool, versionToken } from './record-counts'
import { countNewer, matchesByStatus, matchesNear, readSellerNumber } from './search-matches'

/** The number of records that can be counted in about two milliseconds. */
const NEAR = 10_000
/** The number of records that can be searched in a few milliseconds. */
const NEAR_SEARCHED = 2_000
/** A limit that lets all preceding records be counted, which can take as long as counting a total. */
export const NO_LIMIT = 2 ** 31 - 2

/**
 * Returns a record's position in its list (1 for the newest), or undefined if more than `limit` records come before it. The limit applies
 * to all records that match the filters, whether or not they contain the search term.
 *
 * @param id the ID of a record of this seller, which does not need to match the filters
 * @param limit by default, a number of records that can be read or searched in a few milliseconds
 */
export async function findPosition(query: ListQuery, id: string, limit?: number): Promise<number | undefined> {
  const { resource, sellerId, search } = query
  const max = limit ?? (search === undefined ? NEAR : NEAR_SEARCHED)
  const newer: ListQuery = { ...query, cursor: id, direction: 'newer' }
  const filtered = sql`(select count(*)::int from (select id ${recordRows(newer, sql.raw(String(max + 1)))}) as newer)`
  const pool = await pickPool([resource], sellerId)
  const matching =
    search === undefined
      ? filtered
      : max > NEAR_SEARCHED
        ? countNewer({ ...query, search }, await readSellerNumber(pool, sellerId), id)
        : sql`(select count(*)::int from (${matchesNear({ ...newer, search }, max, max)}) as matching)`
  const [row] = await pool.use(({ rows }) =>
    rows<{ filtered: number; matching: number }>(sql`select ${filtered} as filtered, ${matching} as matching`),
  )
  return row && row.filtered <= max ? row.matching + 1 : undefined
}

type Counts = Record<string, number>

/** Cached counts for searches and date ranges, with the version token at the time of counting. */
const cache = new LRUCache<string, { version: string; counts: Counts }>({ max: 1_000 })

/**
 * Selects the number of records per status in a date range, regardless of the status filter. Returns undefined if there is no range or the
 * resource has no status.
 */
function rangeByStatus(query: ListQuery): SQL | undefined {
  const { table } = query.resource
  if (!query.created || !('status' in table)) return undefined
  return sql`select ${table.status} as status, count(*)::int as total from ${table}
    where ${filterConditions({ ...query, status: undefined })} group by ${table.status}`
}

/**
 * Returns the number of records per status, with the other filters applied. Omits statuses without records. Includes records without a
 * status, under an empty key, only if the query has neither a search nor date filters.
 */
export async function statusCounts(query: ListQuery): Promise<Counts> {
  const { resource, sellerId, pageId, created, search, withNames } = query
  const pool = await pickPool([resource], sellerId)
  const matches =
    search === undefined ? rangeByStatus(query) : matchesByStatus({ ...query, search }, await readSellerNumber(pool, sellerId))
  if (!matches) return countByStatus(pool, query)
  const key = JSON.stringify([sellerId, resource.name, pageId, created, search, withNames])
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
