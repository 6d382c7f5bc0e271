/** Compares the stored counts with the records, and optionally repairs differences. */
import { type SQL, sql } from 'drizzle-orm'
import { type Connection, database } from '@/db/client'
import { recordCounts } from '@/db/schema'
import { type ResourceName, resources } from '../catalog'
import type { Resource } from '../catalog/resource'

type Difference = {
  resource: ResourceName
  sellerId: string
  /** Empty for the count of all checkout pages. */
  pageId: string
  /** Empty for the count of all statuses. */
  status: string
  /** The stored count and the actual number of records. */
  stored: number
  actual: number
}

/** The key of the advisory lock, an arbitrary number. Without the lock, two concurrent recounts would each add the difference. */
const LOCK_KEY = 7_034_125_010

/** Selects the actual record counts: per seller, alone and combined with the status, the checkout page, or both. */
function countRecords({ table }: Resource): SQL {
  if (!('status' in table))
    return sql`select ${table.sellerId} as seller_id, '' as page_id, '' as status, count(*) as total from ${table} group by 1`
  const [seller, page, status] = [sql`${table.sellerId}`, sql`${table.pageId}`, sql`${table.status}`]
  return sql`
    select ${seller} as seller_id, coalesce(${page}, '') as page_id, coalesce(${status}, '') as status, count(*) as total from ${table}
    group by grouping sets ((${seller}), (${seller}, ${status}), (${seller}, ${page}), (${seller}, ${page}, ${status}))
    having (grouping(${page}) = 1 or ${page} is not null) and (grouping(${status}) = 1 or ${status} is not null)`
}

/** Selects the differences in a single statement and therefore a single snapshot, so that concurrent writes affect both sides equally. */
const differences = (resource: Resource) => sql`
  select seller_id, page_id, status, coalesce(stored.total, 0) as stored, coalesce(actual.total, 0) as actual
  from (${countRecords(resource)}) as actual full join (
    select seller_id, page_id, status, sum(total) as total from ${recordCounts} where resource = ${resource.name} group by 1, 2, 3
  ) as stored using (seller_id, page_id, status)
  where coalesce(stored.total, 0) <> coalesce(actual.total, 0)`

/** Adds the differences to the counts in a slot that no writer is using. Additions commute, so writers do not have to be blocked. */
const repair = (resource: Resource) => sql`
  with different as materialized (${differences(resource)}), free as materialized (select desk_slot() as slot), added as (
    insert into ${recordCounts} as stored (seller_id, resource, page_id, status, slot, total, changes)
    select seller_id, ${resource.name}, page_id, status, slot, sum(missing), 1 from free, (
      select seller_id, page_id, status, actual - stored as missing from different union all select distinct seller_id, '', '', 0 from different
    ) as addition
    group by seller_id, page_id, status, slot
    on conflict (seller_id, resource, page_id, status, slot) do update set total = stored.total + excluded.total, changes = stored.changes + 1
  )
  select seller_id as "sellerId", page_id as "pageId", status, stored::int as stored, actual::int as actual from different order by 1, 2, 3`

const selectDifferences = (resource: Resource) =>
  sql`select seller_id as "sellerId", page_id as "pageId", status, stored::int as stored, actual::int as actual from (${differences(resource)}) as different order by 1, 2, 3`

/**
 * Counts all records and compares the result with the stored counts, without blocking writes.
 *
 * @param shouldRepair whether to repair differences, which also invalidates the affected sellers' cached totals and counts
 * @returns the differences
 */
export async function recount(shouldRepair: boolean): Promise<Difference[]> {
  const found: Difference[] = []
  for (const [name, resource] of Object.entries(resources) as [ResourceName, Resource][]) {
    const different = await database().transaction(async ({ rows }: Connection) => {
      await rows(sql`select pg_advisory_xact_lock(${LOCK_KEY}::bigint)`)
      return rows<Omit<Difference, 'resource'>>(shouldRepair ? repair(resource) : selectDifferences(resource))
    })
    found.push(...different.map((difference) => ({ resource: name, ...difference })))
  }
  return found
}
