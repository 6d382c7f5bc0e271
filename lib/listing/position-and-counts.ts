/** What the dashboard shows around a page: where in its list it begins, and how many records each status has. */
import { and, sql } from 'drizzle-orm'
import type { ListParams } from '../catalog/list-params'
import type { Resource } from '../catalog/resource'
import { ahead, narrowed, travelOf } from './conditions'
import { pickReadPool } from './read-pool'
import { changesOf, countByStatus } from './record-counts'
import { recallStatuses, rememberStatuses } from './search-cache'
import { matchesByStatus, matchesNear, type Search } from './search-matches'

/** As many records as are read in some two milliseconds. */
const FAR = 10_000
/** However many stand before it: as long as a total takes. */
export const EVERY = 2 ** 31 - 2

function searchOf(resource: Resource, seller: string, params: ListParams): Search | undefined {
  const { search } = params
  if (search === undefined) return undefined
  return {
    asked: { resource, seller, withSecrets: false },
    params: { ...params, search },
    travel: travelOf(params),
  }
}

/**
 * Where in its list a record stands, 1 being the newest.
 *
 * @param id a record of this seller; it need not match the filters itself
 * @param most how many records before it are counted
 * @returns undefined where more stand before it
 */
export async function positionOf(
  resource: Resource,
  seller: string,
  params: ListParams,
  id: string,
  most = FAR,
): Promise<number | undefined> {
  const { table } = resource
  const travel = { cursor: id, backward: true }
  const newer = and(narrowed(table, seller, params), ahead(table, seller, travel))
  const far = sql`(select count(*)::int from (select ${table.id} from ${table} where ${newer} limit ${sql.raw(String(most + 1))}) as newer)`
  const search = searchOf(resource, seller, params)
  const before = search ? sql`(select count(*)::int from (${matchesNear({ ...search, travel }, most, most)}) as matching)` : far
  const pool = await pickReadPool([resource], seller)
  const [row] = await pool.use(({ rows }) => rows<{ far: number; before: number }>(sql`select ${far} as far, ${before} as before`))
  return row && row.far <= most ? row.before + 1 : undefined
}

/**
 * How many records each status has under the other filters; a status that none has is left out.
 * Those of a search are counted by reading every text, once for as long as nothing of the resource changes.
 */
export async function statusCounts(resource: Resource, seller: string, params: ListParams): Promise<Record<string, number>> {
  const search = searchOf(resource, seller, params)
  const matching = search && matchesByStatus(search)
  const pool = await pickReadPool([resource], seller)
  if (!matching) return countByStatus(pool, resource, seller, params)
  const key = JSON.stringify([seller, resource.name, params.pageId, params.search])
  return pool.use(async ({ rows }) => {
    const recalled = recallStatuses(key)
    if (recalled) {
      const [now] = await rows<{ changes: string }>(sql`select ${changesOf(resource, seller)} as changes`)
      if (now?.changes === recalled.changes) return recalled.counts
    }
    const [counted] = await rows<{ changes: string; counts: string | null }>(sql`
      select ${changesOf(resource, seller)} as changes,
        (select json_object_agg(status, total)::text from (${matching}) as counted where status is not null) as counts`)
    if (!counted) throw new Error('a count without a row')
    const counts = JSON.parse(counted.counts ?? '{}') as Record<string, number>
    rememberStatuses(key, { changes: counted.changes, counts })
    return counts
  })
}
