/** What the record counts say: totals that are read, not counted, kept by triggers (db/migrations/0008_counts.sql). */
import { type SQL, sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { recordCounts } from '@/db/schema'
import type { Bound, Narrowed } from './conditions'
import type { Resource } from './resource'

const rowsOf = ({ name }: Resource, seller: Bound) => sql`${recordCounts.sellerId} = ${seller} and ${recordCounts.resource} = ${name}`

/** A scalar subquery: how many records the filters let through, in the snapshot of the statement that it stands in. */
export const countOf = (resource: Resource, seller: Bound, { status = '', pageId = '' }: Narrowed): SQL => sql`(
  select coalesce(sum(${recordCounts.total}), 0)::int from ${recordCounts}
  where ${rowsOf(resource, seller)} and ${recordCounts.pageId} = ${pageId} and ${recordCounts.status} = ${status})`

/** A scalar subquery: a number, as text, that is another one as soon as any record of the resource is another one. */
export const changesOf = (resource: Resource, seller: Bound): SQL => sql`(
  select coalesce(sum(${recordCounts.changes}), 0)::text from ${recordCounts}
  where ${rowsOf(resource, seller)} and ${recordCounts.pageId} = '' and ${recordCounts.status} = '')`

/** How many records each status has on a page, or on all; a status that none has is left out. */
export async function countByStatus(resource: Resource, seller: string, { pageId = '' }: Narrowed): Promise<Record<string, number>> {
  if (!resource.filters.status) return {}
  const counts = await database().use(({ rows }) =>
    rows<{ status: string; total: number }>(sql`
      select ${recordCounts.status} as status, sum(${recordCounts.total})::int as total from ${recordCounts}
      where ${rowsOf(resource, seller)} and ${recordCounts.pageId} = ${pageId} and ${recordCounts.status} <> ''
      group by ${recordCounts.status} having sum(${recordCounts.total}) > 0`),
  )
  return Object.fromEntries(counts.map(({ status, total }) => [status, total]))
}
