/** Reads the record counts that triggers maintain (`desk_attach_record_triggers`), so that lists do not have to count. */
import { and, type Placeholder, type SQL, sql } from 'drizzle-orm'
import { type Database, database } from '@/db/client'
import { recordCounts } from '@/db/schema'
import type { Resource } from '../catalog/resource'
import { createdCondition, outsideConditions, rangeTimeZone, selectTimeZone } from './created-range'
import { filterConditions, type ListFilters, type SqlValue } from './list-query'

const whereResource = ({ resource, sellerId }: ListFilters<SqlValue>) =>
  sql`${recordCounts.sellerId} = ${sellerId} and ${recordCounts.resource} = ${resource.name}`

/** Returns the condition for the counts that include all checkout pages and statuses. */
const whereUnfiltered = (filters: ListFilters<SqlValue>) =>
  sql`${whereResource(filters)} and ${recordCounts.pageId} = '' and ${recordCounts.status} = ''`

/**
 * Returns a scalar subquery for the number of records that match the filters except the date filters, in the snapshot of the
 * enclosing statement.
 */
export const recordTotal = (filters: ListFilters<SqlValue>): SQL => sql`(
  select coalesce(sum(${recordCounts.total}), 0)::int from ${recordCounts}
  where ${whereResource(filters)} and ${recordCounts.pageId} = ${filters.pageId ?? ''} and ${recordCounts.status} = ${filters.status ?? ''})`

/** The location of a seller's texts: a partition of the compact table, and the seller's number in it. */
type SellerTexts = { partition: SQL; number: number | Placeholder }

/**
 * A condition that every date satisfies. Because the planner does not know the values of the two bounds, it expects few rows and reads the
 * narrow index on seller and date. With only one bound, it would skip through a wider index that has other columns before the date.
 */
const anyTime = sql`text.created_at >= (select '-infinity'::timestamptz) and text.created_at <= (select 'infinity'::timestamptz)`

/**
 * Returns a scalar subquery for the exact number of records that match the filters, including the date filters. It counts the records
 * either inside or outside the range, whichever are fewer according to the planner's statistics, and therefore at most about half of the
 * list. Without other filters, it uses the compact table, whose index has a fraction of the pages.
 */
export function rangeTotal(filters: ListFilters<SqlValue>, { partition, number }: SellerTexts): SQL {
  const { table } = filters.resource
  const others = { ...filters, created: undefined }
  const isDatesOnly = filters.status === undefined && filters.pageId === undefined
  const createdAt = isDatesOnly ? sql`text.created_at` : table.createdAt
  const count = (dates: SQL | undefined) =>
    isDatesOnly
      ? sql`(select count(*) from ${partition} as text where ${and(sql`text.seller = ${number}::int`, dates, anyTime)})`
      : sql`(select count(*) from ${table} where ${and(filterConditions(others), dates)})`
  const outside = outsideConditions(createdAt, filters).map(count)
  const share = sql`(
    select avg(case when ${createdCondition(sql`instant`, filters)} then 1 else 0 end) from unnest((
      select histogram_bounds::text::timestamptz[] from pg_stats
      where schemaname = current_schema() and tablename = ${filters.resource.name} and attname = 'created_at')) as instant)`
  const inside = count(createdCondition(createdAt, filters))
  return sql`(case when ${share} > 0.5 then ${recordTotal(others)} - ${sql.join(outside, sql` - `)} else ${inside} end)::int`
}

/**
 * Returns a scalar subquery for a version token that changes whenever a record of the resource or the meaning of the date filters changes.
 * It contains the start time of the database server, because after a failover the same number of changes could mean different changes.
 */
export const versionToken = (filters: ListFilters<SqlValue>): SQL => sql`(
  select concat_ws(' ', coalesce(sum(${recordCounts.changes}), 0), extract(epoch from pg_postmaster_start_time()), ${rangeTimeZone(filters)})
  from ${recordCounts} where ${whereUnfiltered(filters)})`

/**
 * Returns a SQL expression for a string that is equal on a primary and its replica only if both have the same changes to the resources, and
 * the same time zone of the seller, which date filters depend on. A sum of the changes would not be enough: two concurrent commits
 * can become visible in a different order on each server.
 */
function replicationState(resources: readonly Resource[], sellerId: string): SQL {
  const states = resources.map(
    (resource) => sql`(
      select coalesce(string_agg(concat(${recordCounts.slot}, ':', ${recordCounts.changes}), ',' order by ${recordCounts.slot}), '')
      from ${recordCounts} where ${whereUnfiltered({ resource, sellerId })})`,
  )
  return sql`concat_ws(' ', ${sql.join([...states, selectTimeZone({ sellerId })], sql`, `)})`
}

/**
 * Returns the pool for reading a seller's records: the replica if it has the seller's time zone and every change to the resources that the
 * primary has, otherwise the primary. Reads therefore always include all earlier writes.
 *
 * @param resources every resource that will be read
 */
export async function pickPool(resources: readonly Resource[], sellerId: string): Promise<Database> {
  const primary = database()
  return primary.replica ? primary.replica.pick(replicationState(resources, sellerId)) : primary
}

/**
 * Returns the number of records per status, with only the checkout page filter applied. Omits statuses without records. The key is empty
 * for records without a status.
 *
 * @param pool the pool of the report that includes the counts; by default, the one that `pickPool` returns
 */
export async function countByStatus(filters: ListFilters, pool?: Database): Promise<Record<string, number>> {
  if (!filters.resource.filters.status) return {}
  const source = pool ?? (await pickPool([filters.resource], filters.sellerId))
  const counts = await source.query<{ status: string; total: number }>(sql`
    select ${recordCounts.status} as status, sum(${recordCounts.total})::int as total from ${recordCounts}
    where ${whereResource(filters)} and ${recordCounts.pageId} = ${filters.pageId ?? ''}
    group by ${recordCounts.status} having sum(${recordCounts.total}) > 0`)
  const { '': all = 0, ...byStatus } = Object.fromEntries(counts.map(({ status, total }) => [status, total]))
  const rest = Object.values(byStatus).reduce((left, total) => left - total, all)
  return rest > 0 ? { ...byStatus, '': rest } : byStatus
}
