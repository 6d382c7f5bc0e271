/** Compares the sums that triggers maintain (`TABLES`) with the records, and optionally repairs differences. */
import { type SQL, sql } from 'drizzle-orm'
import { database } from '@/db/client'

/** A table of stored sums. */
type SumTable = {
  /** The name of the table. */
  table: string
  /** The columns that identify a sum. The table stores each sum in several rows, which differ in the column `slot`. */
  keys: string[]
  /** The columns that contain the sums. */
  sums: string[]
  /** The views that compute the actual sums from the records, with the columns `keys` and `sums`. Their rows are combined. */
  views: string[]
  /** The condition for the rows that are retained, and therefore compared; undefined if all rows are retained. */
  retained?: SQL
}

const TABLES: SumTable[] = [
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
    retained: sql`minute > now() - interval '15 minutes'`,
  },
]

/** Stored sums (`stored`) that differ from the sums of the records (`actual`), with the columns that identify them (`key`). */
type SumDifference = { table: string; key: Record<string, string>; stored: Record<string, number>; actual: Record<string, number> }

/** The key of the advisory lock, an arbitrary number. Without the lock, two concurrent recounts would each add the difference. */
const LOCK_KEY = 7_034_125_011

/** Returns a comma-separated list of columns. @param column returns the expression for a name; by default, the name itself */
const list = (names: string[], column: (name: string) => SQL = (name) => sql`${sql.identifier(name)}`) =>
  sql.join(names.map(column), sql`, `)

/** Selects the differences in a single statement and therefore a single snapshot, so that concurrent writes affect both sides equally. */
function differences({ table, keys, sums, views, retained = sql`true` }: SumTable): SQL {
  const columns = list([...keys, ...sums])
  const actual = sql.join(
    views.map((view) => sql`select ${columns} from ${sql.identifier(view)} where ${retained}`),
    sql` union all `,
  )
  const valuesOf = (side: string) => list(sums, (name) => sql`coalesce(${sql.identifier(side)}.${sql.identifier(name)}, 0)`)
  const aliasedValuesOf = (side: string) =>
    list(sums, (name) => sql`coalesce(${sql.identifier(side)}.${sql.identifier(name)}, 0) as ${sql.identifier(`${side}_${name}`)}`)
  return sql`
    select ${list(keys)}, ${aliasedValuesOf('stored')}, ${aliasedValuesOf('actual')} from (${actual}) as actual full join (
      select ${list(keys)}, ${list(sums, (name) => sql`sum(${sql.identifier(name)}) as ${sql.identifier(name)}`)}
      from ${sql.identifier(table)} where ${retained} group by ${list(keys)}
    ) as stored using (${list(keys)})
    where (${valuesOf('stored')}) <> (${valuesOf('actual')})`
}

/**
 * Returns a common table expression that adds the differences in a slot that no writer is using. Additions commute, so writers do not have
 * to be blocked.
 */
const repairCte = ({ table, keys, sums }: SumTable) => sql`, repaired as (
  insert into ${sql.identifier(table)} as stored (${list([...keys, ...sums])}, slot)
  select ${list(keys)}, ${list(sums, (name) => sql`${sql.identifier(`actual_${name}`)} - ${sql.identifier(`stored_${name}`)}`)}, free.slot
  from different, (select desk_slot() as slot) as free
  on conflict (${list([...keys, 'slot'])}) do update
    set ${list(sums, (name) => sql`${sql.identifier(name)} = stored.${sql.identifier(name)} + excluded.${sql.identifier(name)}`)})`

/** Returns a SQL expression for the columns as one JSON object, as text. @param prefix precedes the column names, but not the keys */
const toJson = (names: string[], prefix = '') =>
  sql`json_build_object(${list(names, (name) => sql`${name}::text, ${sql.identifier(prefix + name)}`)})::text`

async function recountTable(sumTable: SumTable, shouldRepair: boolean): Promise<SumDifference[]> {
  const { table, keys, sums } = sumTable
  const rows = await database().transaction(async ({ rows: run }) => {
    // The keys contain timestamps, whose JSON depends on the time zone.
    await run(sql`select pg_advisory_xact_lock(${LOCK_KEY}::bigint), set_config('TimeZone', 'UTC', true)`)
    return run<Record<'key' | 'stored' | 'actual', string>>(sql`
      with different as materialized (${differences(sumTable)}) ${shouldRepair ? repairCte(sumTable) : sql``}
      select ${toJson(keys)} as key, ${toJson(sums, 'stored_')} as stored, ${toJson(sums, 'actual_')} as actual
      from different order by ${list(keys)}`)
  })
  return rows.map(({ key, stored, actual }) => ({
    table,
    key: JSON.parse(key),
    stored: JSON.parse(stored),
    actual: JSON.parse(actual),
  }))
}

/**
 * Recomputes all sums from the records, compares them with the stored sums, and optionally repairs the stored sums. Does not block writes.
 *
 * @param shouldRepair whether to repair differences
 * @returns the differences
 */
export async function recountSums(shouldRepair: boolean): Promise<SumDifference[]> {
  const found: SumDifference[] = []
  for (const sumTable of TABLES) found.push(...(await recountTable(sumTable, shouldRepair)))
  return found
}
