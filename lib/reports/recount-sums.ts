/** Compares the sums that triggers maintain (`TABLES`) with the records, and repairs differences. */
import { type SQL, sql } from 'drizzle-orm'
import { database } from '@/db/client'

type Sums = {
  /** The table that stores the sums. */
  table: string
  /** The columns that identify a sum, and those that are summed up. The table also has the column `slot`. */
  keys: string[]
  sums: string[]
  /** The views with the same columns that compute the expected sums from the records. */
  views: string[]
  /** The condition for the rows that are compared; undefined if all rows are. */
  kept?: SQL
}

const TABLES: Sums[] = [
  {
    table: 'rollups',
    keys: ['resource', 'seller_id', 'level', 'bucket', 'currency', 'page_id'],
    sums: ['revenue', 'orders', 'refunds'],
    views: ['desk_rollups_of_payments', 'desk_rollups_of_bookings', 'desk_rollups_of_subscriptions'],
  },
  {
    table: 'ticket_counts',
    keys: ['seller_id', 'page_id', 'ticket_type_id'],
    sums: ['sold', 'inside', 'attended', 'people'],
    views: ['desk_expected_ticket_counts'],
  },
  {
    table: 'scan_counts',
    keys: ['seller_id', 'page_id', 'ticket_type_id', 'actor_id', 'outcome'],
    sums: ['scans'],
    views: ['desk_expected_scan_counts'],
  },
  {
    table: 'admission_counts',
    keys: ['seller_id', 'minute', 'page_id'],
    sums: ['admissions'],
    views: ['desk_expected_admission_counts'],
    kept: sql`minute > now() - interval '15 minutes'`,
  },
]

/** A stored sum (`stored`) that differs from the records (`actual`). */
export type SumDifference = { table: string; key: Record<string, string>; stored: Record<string, number>; actual: Record<string, number> }

/** The key of the advisory lock, an arbitrary number. Without the lock, two concurrent recounts would each add the difference. */
const LOCK = 7_034_125_011

const list = (names: string[], column: (name: string) => SQL = (name) => sql`${sql.identifier(name)}`) =>
  sql.join(names.map(column), sql`, `)

/** Selects the differences in a single statement and therefore a single snapshot, so that concurrent writes affect both sides equally. */
function differences({ table, keys, sums, views, kept = sql`true` }: Sums): SQL {
  const columns = list([...keys, ...sums])
  const expected = sql.join(
    views.map((view) => sql`select ${columns} from ${sql.identifier(view)} where ${kept}`),
    sql` union all `,
  )
  const valuesOf = (side: string) => list(sums, (name) => sql`coalesce(${sql.identifier(side)}.${sql.identifier(name)}, 0)`)
  const aliasedValuesOf = (side: string) =>
    list(sums, (name) => sql`coalesce(${sql.identifier(side)}.${sql.identifier(name)}, 0) as ${sql.identifier(`${side}_${name}`)}`)
  return sql`
    select ${list(keys)}, ${aliasedValuesOf('stored')}, ${aliasedValuesOf('actual')} from (${expected}) as actual full join (
      select ${list(keys)}, ${list(sums, (name) => sql`sum(${sql.identifier(name)}) as ${sql.identifier(name)}`)}
      from ${sql.identifier(table)} where ${kept} group by ${list(keys)}
    ) as stored using (${list(keys)})
    where (${valuesOf('stored')}) <> (${valuesOf('actual')})`
}

/** Adds the differences in a slot that no writer is using. Additions commute, so writers do not have to be blocked. */
const repair = ({ table, keys, sums }: Sums) => sql`, repaired as (
  insert into ${sql.identifier(table)} as stored (${list([...keys, ...sums])}, slot)
  select ${list(keys)}, ${list(sums, (name) => sql`${sql.identifier(`actual_${name}`)} - ${sql.identifier(`stored_${name}`)}`)}, own.slot
  from different, (select desk_slot() as slot) as own
  on conflict (${list([...keys, 'slot'])}) do update
    set ${list(sums, (name) => sql`${sql.identifier(name)} = stored.${sql.identifier(name)} + excluded.${sql.identifier(name)}`)})`

/** Returns the columns as one JSON object, as text. Timestamps are in UTC. */
const toJson = (names: string[], prefix = '') =>
  sql`json_build_object(${list(names, (name) => sql`${name}::text, ${sql.identifier(prefix + name)}`)})::text`

async function recountTable(one: Sums, repairs: boolean): Promise<SumDifference[]> {
  const rows = await database().transaction(async ({ rows: run }) => {
    await run(sql`select pg_advisory_xact_lock(${LOCK}::bigint), set_config('TimeZone', 'UTC', true)`)
    return run<Record<'key' | 'stored' | 'actual', string>>(sql`
      with different as materialized (${differences(one)}) ${repairs ? repair(one) : sql``}
      select ${toJson(one.keys)} as key, ${toJson(one.sums, 'stored_')} as stored, ${toJson(one.sums, 'actual_')} as actual
      from different order by ${list(one.keys)}`)
  })
  return rows.map(({ key, stored, actual }) => ({
    table: one.table,
    key: JSON.parse(key),
    stored: JSON.parse(stored),
    actual: JSON.parse(actual),
  }))
}

/**
 * Sums up all records and compares the result with the stored sums, without blocking writes.
 *
 * @param repairs whether to correct differences
 * @returns the differences
 */
export async function recountSums(repairs: boolean): Promise<SumDifference[]> {
  const all: SumDifference[] = []
  for (const one of TABLES) all.push(...(await recountTable(one, repairs)))
  return all
}
