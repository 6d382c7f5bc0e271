/** Counts the records that match a table's filters by status, and sums their amounts by currency. */
import { type SQL, sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import type { Connection } from '@/db/client'
import { countByStatus, pickPool, versionToken } from './record-counts'
import { getPartition, readSellerNumber } from './search-matches'
import { asListQuery, type TableFilters, type TableQuery, tableConditions } from './table-query'

/** A sum of amounts, in minor units. The currency is a code in uppercase, or empty for records without a currency. */
export type Sum = { currency: string; amount: number }

export type Facets = {
  /** The number of records per status, with all filters except the status filter. The key is empty for records without a status. */
  statuses: Record<string, number>
  /** Sums by status and currency, those with the most records first. Test records count only if the table lists only test records. */
  sums: { status: string; currency: string; amount: number }[]
  /** The number of test records per status, for statuses that have any. Empty if the table lists only live or only test records. */
  tests: Record<string, number>
}

/** The maximum number of groups: one per status, and one per combination of a status and a currency. */
const MAX_GROUPS = 1_000

/** Cached facets, with the version token of the underlying records. */
const cache = new LRUCache<string, { version: string; facets: Facets }>({ max: 1_000 })

function cacheKey({ sellerId, resource, pageIds, methods, currency, livemode, amountFrom, amountTo, created, search, ids }: TableFilters) {
  return JSON.stringify([sellerId, resource.name, pageIds, methods, currency, livemode, amountFrom, amountTo, created, search, ids])
}

/** Returns a scalar subquery for the facets as JSON. */
function facetsJson(query: TableFilters, number: number): SQL {
  const matching = sql`from ${getPartition(query.resource, number)} as text where ${tableConditions(query, number, ['statuses'])}`
  if (!('amount' in query.resource.table))
    return sql`(select json_build_object('statuses', json_build_object('', count(*)), 'sums', '[]'::json, 'tests', '{}'::json)::text ${matching})`
  const isTest = query.livemode === undefined ? sql`not text.livemode` : sql`false`
  const summed = query.livemode === false ? sql`true` : sql`text.livemode is distinct from false`
  return sql`(
    select json_build_object(
      'statuses', coalesce(json_object_agg(coalesce(status, ''), total) filter (where is_status), '{}'),
      'tests', coalesce(json_object_agg(coalesce(status, ''), tests) filter (where is_status and tests > 0), '{}'),
      'sums', coalesce(json_agg(json_build_object('status', coalesce(status, ''), 'currency', coalesce(currency, ''), 'amount', amount)
        order by total desc, currency) filter (where not is_status and amount is not null), '[]'))::text
    from (
      select text.status, text.currency, grouping(text.currency) = 1 as is_status, count(*) as total, count(*) filter (where ${isTest}) as tests,
        (sum(text.amount) filter (where ${summed}))::float8 as amount
      ${matching} group by grouping sets ((text.status), (text.status, text.currency)) order by grouping(text.currency) desc, total desc
      limit ${sql.raw(String(MAX_GROUPS))}
    ) as grouped)`
}

/**
 * Runs a statement that also reads the table's facets. The facets are calculated only if the cached ones have a different
 * version than the statement's snapshot.
 *
 * @param statement returns the statement, given a one-row query with the columns `version` and `facets`; these must be the statement's
 *   first columns
 * @returns the facets, and the other columns of each row; the statement must return at least one row
 */
export async function withFacets(connection: Connection, query: TableFilters, number: number, statement: (facets: SQL) => SQL) {
  const key = cacheKey(query)
  const cached = cache.get(key)
  // A CASE evaluates a subquery only if it is needed.
  const facetsQuery = sql`
    select version, case when version is distinct from ${cached?.version ?? null}::text then ${facetsJson(query, number)} end as facets
    from (select ${versionToken(query)} as version) as current`
  const rows = await connection.bytes(statement(facetsQuery), {})
  const [version, counted] = rows[0] ?? []
  const found = counted ? { version: String(version), facets: JSON.parse(String(counted)) as Facets } : cached
  if (!found) throw new Error('The statement returned no rows, so the facets are missing.')
  cache.set(key, found)
  return { facets: found.facets, rows: rows.map((row) => row.slice(2)) }
}

/** Returns the facets of a table. */
export async function readFacets(query: TableFilters): Promise<Facets> {
  const pool = await pickPool([query.resource], query.sellerId)
  const number = await readSellerNumber(pool, query.sellerId)
  const { facets } = await pool.use((connection) => withFacets(connection, query, number, (facts) => facts))
  return facets
}

/** Returns the number of records by status, with all filters except the status filter. The key is empty for records without a status. */
export async function countStatuses(query: TableQuery): Promise<Record<string, number>> {
  const list = asListQuery({ ...query, statuses: [], sort: 'createdAt' })
  if (!list || list.search || list.created) return (await readFacets(query)).statuses
  return countByStatus(list)
}

const isIncluded = ({ statuses }: TableFilters, status: string) => statuses.length === 0 || statuses.includes(status)

const sumIncluded = (query: TableFilters, counts: Record<string, number>) =>
  Object.entries(counts).reduce((total, [status, count]) => total + (isIncluded(query, status) ? count : 0), 0)

/** Returns the number of records that match the filters. */
export const countFiltered = (query: TableFilters, { statuses }: Facets): number => sumIncluded(query, statuses)

/** Returns the sum of the amounts of the matching records in each currency, in minor units, the most frequent currency first. */
export function sumFiltered(query: TableFilters, { sums }: Facets): Sum[] {
  const totals = new Map<string, number>()
  for (const { status, currency, amount } of sums) if (isIncluded(query, status)) totals.set(currency, (totals.get(currency) ?? 0) + amount)
  return [...totals].map(([currency, amount]) => ({ currency, amount }))
}

/** Returns the number of matching test records, which the sums exclude. It is 0 if the table is filtered by live or test records. */
export const countTests = (query: TableFilters, { tests }: Facets): number => sumIncluded(query, tests)

/** A value to filter by, and the number of records with this value that match the other filters. */
export type Choice = { value: string; count: number }

/** The maximum number of choices per filter. */
const MAX_CHOICES = 50

/** Returns the payment methods and currencies to filter by, each with all other filters applied, the most frequent first. */
export async function readChoices(query: TableFilters): Promise<{ methods: Choice[]; currencies: Choice[] }> {
  if (!('amount' in query.resource.table)) return { methods: [], currencies: [] }
  const pool = await pickPool([query.resource], query.sellerId)
  const number = await readSellerNumber(pool, query.sellerId)
  const count = (column: SQL, without: 'methods' | 'currency') =>
    pool.query<Choice>(sql`
      select ${column} as value, count(*)::int as count from ${getPartition(query.resource, number)} as text
      where ${tableConditions(query, number, [without])} and ${column} is not null group by 1 order by 2 desc, 1 limit ${sql.raw(String(MAX_CHOICES))}`)
  const [methods, currencies] = await Promise.all([count(sql`text.method`, 'methods'), count(sql`text.currency`, 'currency')])
  return { methods, currencies }
}
