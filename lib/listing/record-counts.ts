/** What the record counts say: totals that are read, not counted, kept by triggers (`desk_attach_record_triggers`). */
import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '@/db/client'
import { recordCounts } from '@/db/schema'
import type { Resource } from '../catalog/resource'
import type { Bound, Narrowed } from './conditions'

const rowsOf = ({ name }: Resource, seller: Bound) => sql`${recordCounts.sellerId} = ${seller} and ${recordCounts.resource} = ${name}`

/** A scalar subquery: how many records the filters let through, in the snapshot of the statement that it stands in. */
export const countOf = (resource: Resource, seller: Bound, { status = '', pageId = '' }: Narrowed): SQL => sql`(
  select coalesce(sum(${recordCounts.total}), 0)::int from ${recordCounts}
  where ${rowsOf(resource, seller)} and ${recordCounts.pageId} = ${pageId} and ${recordCounts.status} = ${status})`

const allOf = (resource: Resource, seller: Bound) =>
  sql`${rowsOf(resource, seller)} and ${recordCounts.pageId} = '' and ${recordCounts.status} = ''`

/**
 * A scalar subquery: a text that is another one as soon as any record of the resource is another one. It is this database server's own:
 * on another one, a replica or one that took over, the same number of changes may be other changes.
 */
export const changesOf = (resource: Resource, seller: Bound): SQL => sql`(
  select concat(coalesce(sum(${recordCounts.changes}), 0), ' ', extract(epoch from pg_postmaster_start_time()))
  from ${recordCounts} where ${allOf(resource, seller)})`

/**
 * A scalar subquery: a text that is the same on a primary and its replica only where both have the same records of the resource.
 * The sum alone would not do: of two changes that are committed at once, one server may show this one first and the other that one.
 */
export const stateOf = (resource: Resource, seller: Bound): SQL => sql`(
  select coalesce(string_agg(concat(${recordCounts.slot}, ':', ${recordCounts.changes}), ',' order by ${recordCounts.slot}), '')
  from ${recordCounts} where ${allOf(resource, seller)})`

/** How many records each status has on a page, or on all; a status that none has is left out. */
export async function countByStatus(
  pool: Database,
  resource: Resource,
  seller: string,
  { pageId = '' }: Narrowed,
): Promise<Record<string, number>> {
  if (!resource.filters.status) return {}
  const counts = await pool.use(({ rows }) =>
    rows<{ status: string; total: number }>(sql`
      select ${recordCounts.status} as status, sum(${recordCounts.total})::int as total from ${recordCounts}
      where ${rowsOf(resource, seller)} and ${recordCounts.pageId} = ${pageId} and ${recordCounts.status} <> ''
      group by ${recordCounts.status} having sum(${recordCounts.total}) > 0`),
  )
  return Object.fromEntries(counts.map(({ status, total }) => [status, total]))
}
