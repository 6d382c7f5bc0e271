/** What the dashboard shows around a page: where in its list it begins, and how many records each status has; so far as that is quickly told. */
import { and, sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { ahead, narrowed, travelOf } from './conditions'
import { countByStatus, countOf } from './counts'
import type { ListParams } from './list-params'
import { matchesByStatus, matchesNear, type Search } from './matches'
import { NO_CONDITION } from './page'
import type { Resource } from './resource'

/** As many records as are read in some two milliseconds. */
const FAR = 10_000
/** However many stand before it: as long as a total takes. */
export const EVERY = 2 ** 31 - 2

function searchOf(resource: Resource, seller: string, params: ListParams): Search | undefined {
  const { search } = params
  if (search === undefined) return undefined
  return {
    asked: { resource, seller, withSecrets: false, condition: NO_CONDITION },
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
  const [row] = await database().use(({ rows }) => rows<{ far: number; before: number }>(sql`select ${far} as far, ${before} as before`))
  return row && row.far <= most ? row.before + 1 : undefined
}

/**
 * How many records each status has under the other filters; a status that none has is left out.
 *
 * @returns undefined where a search would have to read more than 10,000 texts for it
 */
export async function statusCounts(resource: Resource, seller: string, params: ListParams): Promise<Record<string, number> | undefined> {
  const search = searchOf(resource, seller, params)
  const matching = search && matchesByStatus(search)
  if (!matching) return countByStatus(resource, seller, params)
  return database().use(async ({ rows }) => {
    const all = { pageId: params.pageId, status: undefined }
    const [row] = await rows<{ total: number }>(sql`select ${countOf(resource, seller, all)} as total`)
    if (!row || row.total > FAR) return undefined
    const counts = await rows<{ status: string | null; total: number }>(matching)
    return Object.fromEntries(counts.flatMap(({ status, total }) => (status === null ? [] : [[status, total]])))
  })
}
